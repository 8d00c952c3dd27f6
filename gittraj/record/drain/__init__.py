"""The drain: what is new in the worktrees and in the sessions of a repository becomes records.

``composition`` puts it together, ``run`` does one drain: ``sessions`` says which logs to read, ``reading``
reads one, ``capture`` decides, ``plan`` holds what is to be written for one log and remembered of it,
``parts`` makes the drafts, and the pipeline writes them. ``territory`` knows which repository a call
worked in; ``remembered`` makes the cursors anew from the refs.
"""
