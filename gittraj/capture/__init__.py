"""Decides which events belong to which commit.

``docs/capture.md`` has the rules.

- ``link`` links each commit to one session, by the best evidence.
- ``anchor`` finds the call that made a commit: one that a hook named, that printed the commit's id, or
  (``message``, evidence ``order``) that gave its message. ``plausibility`` decides which of a session's calls
  made the commits that hooks named.
- ``content`` finds an agent's edits in a commit that no call made, but a person.
- ``own`` gives each event of a session to one commit, or lets it wait for the next.
- ``commits`` reads reflog and spool, ``commit_command`` a shell command, ``set_back`` what commands undid;
  ``repo_paths`` and ``outside`` decide whether a call worked in this repository.

``record.drain`` calls them. Only ``repo_paths`` and ``outside`` access the disk, to check whether a path
exists.
"""
