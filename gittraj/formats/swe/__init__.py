"""mini-swe-agent and SWE-agent: runs that end with a submission."""
