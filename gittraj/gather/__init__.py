"""Gathers the records of many repositories in one engine (database), and queries them.

Only this room uses DuckDB, PostgreSQL and Parquet; only ``git traj gather`` and ``--team`` import it, and
nothing else needs their libraries (``git-traj[gather]``).

- ``run`` gathers: ``remotes`` lists the repositories, ``fetching`` fetches the records of one, ``collect``
  turns them into rows with ``rows``; ``verify`` compares them later, and deletes repositories.
- ``store`` is the interface of the engines: ``duck``, ``postgres``, ``parquet``. ``schema`` has the tables,
  ``terms`` the stems of texts.
- ``ask`` reads records for the commands; ``ask_log``, ``ask_search`` and ``ask_stats`` query for one each.
"""
