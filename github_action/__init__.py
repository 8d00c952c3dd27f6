"""The pull request bot: trajectories of a branch, on its pull request. Imports gittraj, never the reverse."""
