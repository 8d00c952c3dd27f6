"""Aider's chat history."""
