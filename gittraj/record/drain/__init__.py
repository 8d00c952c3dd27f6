"""The drain: turns what is new in the worktrees and sessions of a repository into records.

``composition`` sets up a drain (``redactor`` its redactor, ``context`` what stays the same throughout), and
``run`` runs it in three steps.

- Observe: ``news`` reads reflogs and spool, ``moved`` finds rewrites that hooks missed. ``sessions`` chooses
  the logs to read, without those that were ``forgotten`` or ``switched_off``; ``logs`` reads each log
  from where the last drain stopped, by means of ``open_log``. ``reading`` is a log that was read: once a
  session's own log is read, it replaces the parts made from the agent's printed output.
- Decide: ``decision`` links commits to logs by their ``anchors``, ``waiting`` says how long a commit
  waits until the call that made it is in a log. ``plan`` says what to write for one log, and what to remember
  about it; ``parts`` makes the log's drafts (parts before redaction) with a ``description`` and ``spending``;
  ``manual_events`` handles events that are in no log.
- Write: done by the pipeline in ``gittraj.record``. ``remembered`` rebuilds the cursors from the refs.
"""
