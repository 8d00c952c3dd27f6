"""Gemini CLI: its session files and its output."""
