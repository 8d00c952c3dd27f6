"""GitHub Copilot: the event stream of its command line, and the chat sessions of VS Code."""
