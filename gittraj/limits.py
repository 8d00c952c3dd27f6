"""Limits for reading what others may have written into a repository: records, notes, trees, settings.

A remote, a fork that was fetched or a cloned repository may contain anything: a megabyte that unpacks to
gigabytes, a tree that never ends, a number of four hundred digits. Data over a limit is skipped, and
reported by ``git traj doctor``; the rest is read. What git-traj writes is far smaller (``docs/format.md``).
The limits for a session's log, which a user's own agent wrote, are in ``formats.base``; the limits for
answers of programs and servers are in the modules that call them.
"""

from __future__ import annotations

OBJECT = 64 * 1024 * 1024
"""Bytes of one git object, unpacked; git-traj writes at most 1 MB."""
NOTE = 1024 * 1024
"""Bytes of one commit's note."""
FOREIGN_NOTE = 16 * 1024 * 1024
"""Bytes of one note that another tool wrote and that is imported."""
LINE = 64 * 1024
"""Bytes of one line of a note; a record has 8 kB at most."""
LINES = 20_000
"""Lines of one note; each record is one line."""
NOTES = 32 * 1024 * 1024
"""Bytes of all notes that one pass reads, without the first ``NOTES_EACH`` of each note."""
NOTES_EACH = 8 * 1024
"""Bytes of each note that do not count towards ``NOTES``; ordinary notes are smaller."""
SEGMENT = 4 * 1024 * 1024
"""Bytes of one segment of events."""
TREE = 8 * 1024 * 1024
"""Bytes of one tree, enough for 120,000 notes without fan-out; git-traj writes at most 256 folders."""
DEPTH = 64
"""Levels of nested objects and lists in JSON; agents' arguments stay below 20."""
DIGITS = 40
"""Digits of one number."""
COST = 1e9
"""US dollars of one part of a trajectory."""
PULL = 3 * 1024 * 1024
"""Bytes of all notes of a pull request's commits."""
SETTINGS = 64 * 1024
"""Bytes of ``.gittraj.yml``."""
GITLEAKS = 512 * 1024
"""Bytes of a file of gitleaks' rules."""
REMOTE_COMMITS = 5_000
"""Commits for which the records of one remote are shown in addition to the clone's own."""
REMOTE_RECORDS = 20
"""Records of one remote that are shown for one commit; also how many of its tombstones are applied."""
GATHER_COMMITS = 10_000
"""The newest commits of a repository's HEAD that ``git traj gather`` counts."""
GATHER_BYTES = 1 << 30
"""Bytes of one file that git writes while it fetches a repository to gather."""
GATHER_EVENTS = 128 * 1024 * 1024
"""Bytes of a repository's segments that are gathered, the newest parts first."""
SETTING_DIGITS = 16
"""Digits of a number in a setting."""
