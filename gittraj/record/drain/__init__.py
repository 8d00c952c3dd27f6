"""The drain: makes records of what is new in the worktrees and in the sessions of a repository.

``composition`` sets a drain up (``redactor``: its redactor, ``context``: what does not change during it),
``run`` does one in three steps.

- Observe: ``news`` reads reflogs and spool, ``moved`` finds rewrites that hooks missed. ``sessions`` chooses
  the logs to read, without those that were ``forgotten`` or ``switched_off``; ``logs`` reads each log
  from where the last drain stopped, by means of ``open_log``. ``reading`` is a log that was read; a session's
  own log replaces what its agent printed.
- Decide: ``decision`` links commits to logs by their ``anchors``, ``waiting`` says how long a commit
  waits for its call. ``plan`` says what to write for one log, and what to remember about it; ``parts`` makes
  the log's drafts with a ``description`` and ``spending``; ``manual_events`` handles events that no log has.
- Write: the pipeline. ``remembered`` rebuilds the cursors from the refs.
"""
