"""Reads everything about the trajectories of one commit, or about one trajectory."""
