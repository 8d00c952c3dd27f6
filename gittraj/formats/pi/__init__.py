"""The pi coding agent."""
