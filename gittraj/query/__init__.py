"""Reading what is recorded: which commits a query lists, and what their records come to.

``recorded`` holds the records of all notes, ``fold`` sums them to headers, ``history`` lists commits,
``touching`` finds those that changed a path, ``wanted`` are a query's conditions; ``telling`` and
``chapters`` gather one commit's or one trajectory's events. ``briefing`` gathers what was said about paths:
``vicinity`` judges which commits are near them, ``lessons`` what of it is worth most. ``reasons`` tells why
lines are as they are: ``written`` finds the call that wrote one, ``excerpt`` shows it, ``nearest`` is for
commits without a record. Nothing here writes.
"""
