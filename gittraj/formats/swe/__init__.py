"""Reads the runs of mini-swe-agent and SWE-agent, which end with a submission."""
