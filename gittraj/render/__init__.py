"""Renders trajectories for people: pure functions from headers and events to text.

Text by agents, users and committers is untrusted: it reaches an output only through the target's
``escape()``. No module of this package prints, reads a repository or depends on a terminal.
"""
