"""Reading what is recorded: which commits a query lists, and what their records come to.

``recorded`` holds the records of all notes, ``fold`` sums them to headers, ``history`` lists commits,
``touching`` finds those that changed a path, ``wanted`` are a query's conditions; ``telling`` and
``chapters`` gather one commit's or one trajectory's events. Nothing here writes.
"""
