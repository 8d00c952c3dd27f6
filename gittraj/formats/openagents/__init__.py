"""OpenAgents: reads and writes the trajectories in its database."""
