"""What is written on purpose, and not merely observed: decisions, chapters, retrospectives.

An agent writes it by a command (``git traj decision …``) or by a block in what it says; a person by a
command. Inside a session the log is the place of all of it, so that every capture and every import find the
same events at the same positions: a block is in a message, and a command prints the id of its event, which is
then in the call's result. What a command stored of its own (:mod:`active`) only says in full what a shell
line may hide.

The rooms: ``wording`` (an author's JSON -> event), ``blocks`` (message -> events), ``shell`` (line ->
commands), ``calls`` (commands -> events), ``derivation`` (a log's items with the authored events among them),
``active`` (what no commit has yet).
"""
