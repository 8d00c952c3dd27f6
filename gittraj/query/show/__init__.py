"""Everything about one commit's trajectories, or about one trajectory."""
