"""Aider's chat history."""

FILE = ".aider.chat.history.md"
