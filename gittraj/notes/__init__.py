"""Notes: records on commits, and the data refs beside them.

The rooms: ``tree`` (which trees change), ``store`` (read, batch write, compare-and-swap), ``merge`` (union of
two notes), ``carry`` (what a rewrite does to notes).
"""
