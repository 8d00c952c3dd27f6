"""Who wrote lines, and why."""
