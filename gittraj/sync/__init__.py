"""Shares records and segments with remotes: fetched into refs of their own, merged by union, pushed without
force.

``remote`` parses the remote's name, ``consent`` decides whether to push, ``network`` calls git, ``partial``
completes a partial clone, ``join`` and ``purge_merge`` merge two tips, ``traces`` clears what a purge leaves,
``outgoing`` lists what a push would publish, ``transfer`` fetches and pushes. It must not interpret a record,
and never prompts: every call over the network has a time-out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gittraj.startup import lazy_names

if TYPE_CHECKING:
    from gittraj.sync.consent import (
        is_automatic,
        read_answer,
        remember_consent,
        remember_join,
        shares_records_only,
    )
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
    "push",
    "read_answer",
    "remember_consent",
    "remember_join",
    "shares_records_only",
]

__getattr__ = lazy_names(
    __name__,
    {
        "consent": "is_automatic shares_records_only read_answer remember_consent remember_join",
        "outgoing": "Outgoing find_outgoing",
        "remote": "Remote find_remote",
        "transfer": "Pushed fetch fetch_all fetch_segments push",
    },
)
