"""OpenAgents: the trajectories in its database."""
