"""Past sessions: those on this machine (``backfill``), and files that a user names (``import``).

Logs are read twice: first for a digest of each, which are linked together; then each alone, to be redacted
and written, in several processes. It decides nothing about events itself (``capture`` does) and writes
through ``record.pipeline`` only.
"""
