"""Any record with any events can be rendered as a page, which contains only our own elements."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gittraj.model.values import Record
from gittraj.query.header import fold
from gittraj.query.show.chapters import event_to_document
from gittraj.render.events import Detail
from gittraj.render.html.document import render_page
from gittraj.render.html.lists import event_lines, render_overview, render_row
from gittraj.render.html.markup import Links
from tests.sizes import size
from tests.unit.render.headers import COMMIT, entry
from tests.unit.render.html.parsed import parse
from tests.unit.strategies import events, values_of

WILD = st.text(st.sampled_from("<>\"'&/ \n`*|#-\x1b\u202e\ud800\u3164\ufe01a"), max_size=12)
OURS = """
    html head meta title style script link body header nav main footer article section div dl dt dd p span
    a time h1 h2 h3 h4 h5 blockquote ol ul li strong code pre table tr td th meter details summary input
    output button
"""


@settings(max_examples=size(30, 60), deadline=None, suppress_health_check=list(HealthCheck))
@given(values_of(Record, WILD), st.lists(events(WILD), max_size=5), st.booleans())
def test_any_record_has_a_page(record: Any, given_events: list[Any], thinking: bool) -> None:
    header = fold({COMMIT: [record]}).header(COMMIT, explored=True)
    shown = [event_to_document(event, header["agent"]) for event in given_events]
    chapter = {
        "id": "x",
        "title": "x",
        "agentName": None,
        "startedAt": None,
        "endedAt": None,
        "events": shown,
    }
    whole = {**header, "chapters": [chapter], "also": []}
    detail = Detail(everything=True, thinking=thinking)
    site = Links(root="../", title="<b>", commits={COMMIT}, trajectories={record.id})
    commit = entry(whole)
    for page in (
        "".join(render_page([(commit, [whole])], detail=detail)),
        "".join(render_page([(None, [whole, whole]), (commit, [])], detail=detail)),
        render_overview(whole, [(commit, list(event_lines(whole)))], site),
        render_row(commit, site),
    ):
        assert {each.name for each in parse(page).all()} <= set(OURS.split())
        assert not set("\u202e\u3164\ufe01") & set(page), "nobody sees them, but an agent reads them"
