"""Codex: its rollout files and its output."""
