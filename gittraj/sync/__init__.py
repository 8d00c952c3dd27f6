"""Records and segments to remotes and back: fetched beside ours, joined by union, pushed without force.

The rooms: ``remote`` (what a person names), ``consent`` (whether it may be pushed), ``network`` (git's
calls), ``partial`` (what a partial clone lacks), ``joining`` (two tips become one), ``traces`` (what is left
of a purged history), ``outgoing`` (what a push would tell to whom), ``exchange``. It must not know what a
record says beyond its lines, and never prompts: git asks nobody for a password here, and every call over the
network ends in a bounded time.
"""

from gittraj.sync.consent import is_automatic, leaves_out, read_answer, remember_consent
from gittraj.sync.outgoing import Outgoing, find_outgoing
from gittraj.sync.remote import Remote, find_remote
from gittraj.sync.transfer import Pushed, fetch, fetch_all, fetch_segments, push

__all__ = [
    "Outgoing",
    "Pushed",
    "Remote",
    "fetch",
    "fetch_all",
    "fetch_segments",
    "find_outgoing",
    "find_remote",
    "is_automatic",
    "leaves_out",
    "push",
    "read_answer",
    "remember_consent",
]
