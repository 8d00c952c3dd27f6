"""Answers from the records: which commits a query lists, and what their records add up to.

``records`` reads all notes, which it gets from ``notes``; ``header`` folds a trajectory's records into a
HEADER. ``log`` lists commits, ``show`` reads the events of a commit or a trajectory, ``context`` collects
what the records say about paths, ``why`` explains lines, ``stats`` counts. No module of this package writes.
"""
