"""Which events belong to which commit: decided on tables. ``docs/capture.md`` has the rules.

- ``link`` decides: it gives each commit to one session, by the best evidence.
- ``anchor`` finds the call that made a commit: one that a hook named, that printed the commit's id, or
  (evidence ``order``) that gave its message. ``order`` tells which of a session's calls made the commits
  that hooks named.
- ``content`` finds an agent's edits in a commit that no call made: a person's.
- ``own`` then gives every event between such calls to a commit.
- ``commits`` reads what happened from reflog and spool, ``commit_command`` a shell command, ``set_back``
  what was undone; ``repo_paths`` and ``outside`` tell whether a call worked in this repository.

``record.drain`` calls them. Only ``repo_paths`` and ``outside`` look at the disk: whether a path is there.
"""
