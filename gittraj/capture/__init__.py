"""Which events belong to which commit: pure decisions, tested on tables. ``docs/capture.md`` has the rules.

``anchor`` and ``order`` find the call that made a commit, ``content`` the edits that a human committed, and
``own`` gives every event of a log to its commit. They read no file and no repository; ``drain`` feeds them.
"""
