"""Records of many repositories in one engine: fetched, scanned, written, forgotten, asked.

The one room that knows DuckDB, PostgreSQL and Parquet; nothing of it is imported but by ``git traj gather``
and ``--team``, and nothing else needs their libraries (``git-traj[gather]``).

- ``run`` gathers: ``remotes`` names the repositories, ``fetching`` brings one's records, ``collect`` makes
  rows of them by ``rows``; ``verify`` compares them later, and takes repositories out.
- ``store`` says what an engine can do: ``duck``, ``postgres``, ``parquet``. ``schema`` has the tables,
  ``terms`` the words of texts.
- ``ask`` gives records to the commands; ``ask_log``, ``ask_search`` and ``ask_stats`` answer for theirs.
"""
