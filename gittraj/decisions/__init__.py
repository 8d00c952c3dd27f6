"""Parses what agents and people record explicitly: decisions, chapters, retrospectives.

An agent records them by a command (``git traj decision …``) or a block in a message, a person by a command.
Within a session all events come from the log, so that every capture and every import finds the same events at
the same positions: a block is in a message, and a command prints the id of its event, which is then in the
call's result. The command's own copy (``gittraj.state.active``) only adds what the shell line does not show.

``wording`` parses an author's JSON into an event, ``blocks`` a message into events, ``shell`` a line into
commands, ``commands`` commands into events; ``derivation`` inserts the events into a log's items.
"""
