"""Claude Code: its session files and its output."""
