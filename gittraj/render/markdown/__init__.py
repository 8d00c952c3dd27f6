"""Renders Markdown: a page for people, and context for an agent's prompt."""
