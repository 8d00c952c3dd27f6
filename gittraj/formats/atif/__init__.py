"""ATIF, the Agent Trajectory Interchange Format: its reader, its writer, and what both share."""
