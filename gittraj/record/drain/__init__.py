"""The drain: what is new in the worktrees and in the sessions of a repository becomes records.

``composition`` sets it up, ``run`` does one drain in three steps. Observe: ``news`` reads reflogs and spool,
``sessions`` chooses the logs to read, ``logs`` reads them. Decide: ``decision`` links commits to logs,
``plan`` has what to write for one log and to remember of it, ``parts`` makes its drafts. Write: the pipeline.
``remembered`` rebuilds the cursors from the refs.
"""
