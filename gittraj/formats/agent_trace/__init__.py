"""agent-trace: which lines of which files an agent wrote (https://agent-trace.dev)."""
