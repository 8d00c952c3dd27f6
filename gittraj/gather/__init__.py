"""Records of many repositories in one engine: fetched, scanned, written, forgotten, asked.

The one room that knows DuckDB, PostgreSQL and Parquet; nothing of it is imported but by ``git traj gather``
and ``--team``, and nothing else needs their libraries (``git-traj[gather]``).
"""
