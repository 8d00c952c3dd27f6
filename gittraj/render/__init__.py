"""Trajectories as people read them: pure, from headers and events to text, one ``escape()`` per target.

Text by agents, users and committers is untrusted: it reaches an output only through the target's
``escape()``. Nothing here prints, reads a repository or knows a terminal.
"""
