"""Sessions of the past: those on this machine (``backfill``), and those that somebody names (``import``).

Many logs are read twice: first for what linking needs to know of each, together; then each alone, to be
redacted and written, in several processes. It decides nothing about events itself (``capture`` does) and
writes through the one pipeline.
"""

from gittraj.commands.backfill.collect import backfill
from gittraj.commands.backfill.importer import take_in
from gittraj.commands.backfill.report import Linked, Report, Unlinked
from gittraj.commands.backfill.run import Progress

__all__ = ["Linked", "Progress", "Report", "Unlinked", "backfill", "take_in"]
