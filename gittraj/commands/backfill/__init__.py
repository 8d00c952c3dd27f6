"""Records past sessions: those on this machine (``backfill``), and files that a user names (``import``).

Logs are read twice: first to make a digest of each, so that all sessions can be linked to commits at once;
then each alone, to redact and write it, in several processes. ``capture`` decides which events belong to
which commit; ``record.pipeline`` writes them.

- ``run`` does the whole work; ``local_sessions`` finds sessions, ``importer`` imports a user's files.
- First reading: ``digest_logs`` makes a ``log_digest`` of each, to be linked to the ``candidate_commits``.
- Second reading: ``log_task`` is the work on one log, ``worker_pool`` the processes that do it.
- ``report`` says what was linked, and why.
"""
