"""Past sessions: those on this machine (``backfill``), and files that a user names (``import``).

Logs are read twice: first for a digest of each, which are linked together; then each alone, to be redacted
and written, in several processes. It decides nothing about events itself (``capture`` does) and writes
through ``record.pipeline`` only.
"""

from gittraj.commands.backfill.digest_logs import Progress
from gittraj.commands.backfill.importer import import_files
from gittraj.commands.backfill.local_sessions import backfill
from gittraj.commands.backfill.report import Linked, Report, Unlinked, report_to_json, taken_to_json

__all__ = [
    "Linked",
    "Progress",
    "Report",
    "Unlinked",
    "backfill",
    "import_files",
    "report_to_json",
    "taken_to_json",
]
