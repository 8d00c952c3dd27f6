"""What ``git traj export`` writes as one document: of commits, trajectories, or several of both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain

from gittraj.query.show.selection import Chosen
from gittraj.render.events import Detail
from gittraj.render.html.document import render_page
from gittraj.render.markdown.page import render_markdown
from gittraj.render.text.chapters import render_timeline
from gittraj.render.text.terminal import Page

_DETAIL = Detail()
_COLUMNS = 160  # of a timeline in a file


def write_html(chosen: Chosen) -> Iterator[str]:
    return render_page(chosen.entries(), detail=_DETAIL)


def write_markdown(chosen: Chosen) -> Iterator[str]:
    for number, (commit, headers) in enumerate(chosen.entries()):
        yield "\n" * bool(number)
        yield from render_markdown(commit, headers, detail=_DETAIL)


def write_timeline(chosen: Chosen) -> Iterator[str]:
    headers = chain.from_iterable(headers for _, headers in chosen.entries())
    return render_timeline(list(headers), Page(_COLUMNS), detail=_DETAIL)


def write_json(chosen: Chosen) -> Iterator[bytes]:
    """``{"version": 1, "commits": [{…, "trajectories": […]}], "trajectories": […]}``."""
    commits, trajectories = [], []
    for commit, headers in chosen.entries():
        if commit is None:
            trajectories += headers
        else:
            commits.append({**commit, "trajectories": headers})
    document = {"version": 1, "commits": commits, "trajectories": trajectories}
    # half a sign, as records may hold, becomes an escape: no encoding takes it
    yield json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
