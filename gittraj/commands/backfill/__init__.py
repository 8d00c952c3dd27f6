"""Past sessions: those on this machine (``backfill``), and files that a user names (``import``).

Logs are read twice: first for a digest of each, which are linked together; then each alone, to be redacted
and written, in several processes. It decides nothing about events itself (``capture`` does) and writes
through ``record.pipeline`` only.

- ``run`` does the whole work; ``local_sessions`` finds sessions, ``importer`` imports a user's files.
- First reading: ``digest_logs`` makes a ``log_digest`` of each, to be linked to the ``candidate_commits``.
- Second reading: ``log_task`` is the work on one log, ``worker_pool`` the processes that do it.
- ``report`` says what was linked, and why.
"""
