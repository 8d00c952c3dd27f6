"""ATIF, the Agent Trajectory Interchange Format: a reader and a writer."""
