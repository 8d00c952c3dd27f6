"""The drain: what is new in the worktrees and in the sessions of a repository becomes records.

``composition`` sets it up (``redactor`` its redactor, ``context`` what is fixed during it), ``run`` does one
drain in three steps.

- Observe: ``news`` reads reflogs and spool, ``moved`` finds rewrites that hooks missed. ``sessions`` chooses
  the logs to read, without those that were ``forgotten`` or ``switched_off``; ``resume`` reads each
  from where the last drain stopped, by ``open_log``. ``reading``: a log replaces what came before it.
- Decide: ``decision`` links commits to logs by their ``anchors``, ``waiting`` says how long a commit
  waits for its call. ``plan`` has what to write for one log and to remember of it, ``parts`` makes its
  drafts with a ``description`` and ``spending``; ``manual_events`` are those that no log has.
- Write: the pipeline. ``remembered`` rebuilds the cursors from the refs.
"""
