"""ATIF, the Agent Trajectory Interchange Format: read, written, and what both agree on."""
