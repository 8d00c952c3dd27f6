"""Parses what agents and people record explicitly: decisions, chapters, retrospectives.

An agent records it by a command (``git traj decision …``) or by a block in a message; a person by a command.
Within a session everything comes from the log, so that every capture and every import find the same events at
the same positions: a block is in a message, and a command prints the id of its event, which is then in the
call's result. What the command itself stored (``gittraj.state.active``) only adds what the shell line hides.

``wording`` parses an author's JSON into an event, ``blocks`` a message into events, ``shell`` a line into
commands, ``commands`` these into events; ``derivation`` inserts the events into a log's items.
"""
