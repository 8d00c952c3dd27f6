"""Trajectories as people read them: pure, from headers and events to text, one ``escape()`` per target.

What agents, their users and committers wrote is untrusted: nothing of it reaches an output but through its
target's ``escape()``. Nothing here prints, reads a repository or knows a terminal.
"""
