"""A table of trajectories, a row each."""
