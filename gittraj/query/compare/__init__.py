"""Compares two trajectories, commits, runs or agents."""
