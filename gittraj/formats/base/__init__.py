"""Helpers that readers and writers of several formats share. Nothing here belongs to one agent."""
