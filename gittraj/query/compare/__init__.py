"""Two trajectories, commits, runs or agents side by side."""
