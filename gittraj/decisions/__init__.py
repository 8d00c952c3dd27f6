"""What is written on purpose, and not merely observed: decisions, chapters, retrospectives.

An agent writes it by a command (``git traj decision …``) or by a block in what it says; a person by a
command. Inside a session the log is the place of all of it, so that every capture and every import find the
same events at the same positions: a block is in a message, and a command prints the id of its event, which is
then in the call's result. What a command stored of its own (``gittraj.state.active``) only
says in full what a shell line may hide.

``wording`` turns an author's JSON into an event, ``blocks`` a message into events, ``shell`` a line into
commands, ``commands`` these into events; ``derivation`` puts the events among a log's items.
"""
