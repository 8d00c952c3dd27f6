"""Makes the rows of one repository: folds its records, as ``git traj log`` and ``stats`` do. Pure.

It must not depend on an engine, nor on where records come from; they are redacted already.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from operator import attrgetter
from typing import Any

from gittraj.frozen import dataclass
from gittraj.gather.schema import TABLES, to_time
from gittraj.gather.terms import BETWEEN, stem_all, unite
from gittraj.index.text_fields import read_part
from gittraj.index.words import sound
from gittraj.model.codec import dump, event_to_json, event_type, to_json
from gittraj.model.times import parse_time
from gittraj.model.values import AnyEvent, Key, Record, Usage
from gittraj.model.words import share
from gittraj.notes.run_keys import find_run_keys
from gittraj.query.account import PARTS, struck_in, without_struck
from gittraj.query.header import Folded, cost
from gittraj.query.log.filters import names_of_task
from gittraj.query.records import Recorded
from gittraj.query.stats.counts import Tallies, Tally, read_tallies
from gittraj.query.stats.statistics import explains, month_of, place_parts, stored_parts, without_stubs

Rows = dict[str, list[tuple[Any, ...]]]
_MOST = 2**62  # a foreign record may have a number of forty digits
_UNKNOWN = "unknown"
"""The month of rows without a time: a folder of Parquet needs a name."""


@dataclass(frozen=True, slots=True)
class Described:
    """A commit of HEAD, its texts redacted. ``date`` is the author's, as git prints it; ``committed`` is in
    seconds since 1970."""

    short: str
    subject: str
    author: str
    author_email: str
    date: str
    committed: int
    merge: bool


class Builder:
    """Makes the rows of one repository. ``described`` are HEAD's commits, newest first, some of which have
    records; ``events`` are those of each part."""

    def __init__(
        self,
        project_id: str,
        recorded: Recorded,
        described: Mapping[str, Described],
        events: Mapping[Key, Sequence[AnyEvent]],
    ) -> None:
        self._project = project_id
        self._recorded = recorded
        self._described = described
        self._events = events
        self.rows: Rows = {table: [] for table in TABLES}
        noted = [*recorded]
        # newest first; commits that HEAD does not reach count as newer, so that no part is counted only there
        known = [commit for commit in described if commit in recorded]
        self._places = {*find_run_keys(recorded)}
        self._commits = [*sorted(commit for commit in noted if commit not in described), *known]
        self._tallies = {commit: read_tallies(recorded.tally(commit)) for commit in self._commits}
        self._home = {each.part: each for each in stored_parts(self._tallies)}
        self._counted = {part.record.key for part in place_parts(self._tallies)}

    def build(self) -> Rows:
        for trajectory in self._recorded.ids():
            folded = self._recorded.folded(trajectory)
            if folded is not None:
                self._add_trajectory(folded)
        for commit in self._commits:
            self._add_commit(commit, self._tallies[commit])
        self._add_history()
        terms = stem_all(row[-2] for row in self.rows["texts"])
        self.rows["texts"] = [
            (*row[:-1], found) for row, found in zip(self.rows["texts"], terms, strict=True)
        ]
        said = unite((row[-4], row[-1]) for row in self.rows["texts"])
        self.rows["words"] = [(self._project, kind, found) for kind, found in said]
        return self.rows

    def _add(self, table: str, *sources: Any, **values: Any) -> None:
        """Add a row of ``values``, and of those fields of ``sources`` whose names are columns."""
        found: dict[str, Any] = {}
        for source in reversed(sources):
            found |= vars(source) if source else {}
        found |= {"project_id": self._project, **values}
        self.rows[table].append(tuple(_plain(found.get(name), name, kind) for name, kind, _ in TABLES[table]))

    def _month(self, commit: str | None, *times: str | None) -> str:
        described = self._described.get(commit or "")
        if described is not None:
            return month_of(described.committed)
        time = _utc(next(filter(None, times), None))
        return time.strftime("%Y-%m") if time else _UNKNOWN

    # ------------------------------------------------------------ commits

    def _add_commit(self, commit: str, tallies: Tallies) -> None:
        described = self._described.get(commit)
        month = self._month(commit)
        self._add(
            "commits",
            described,
            commit_id=commit,
            short=described.short if described else commit[:7],
            committed_at=to_time(described.committed) if described else None,
            month=month,
            reached=None if commit in self._places else described is not None or not self._described,
            explained=explains(tallies),
            note_bytes=tallies.bytes,
        )
        for tally in tallies.trajectories:
            self._add_links(commit, month, tally)

    def _add_links(self, commit: str, month: str, tally: Tally) -> None:
        folded = self._recorded.folded(tally.id)
        note_bytes = tally.note
        records = folded.records(commit, explored=True) if folded else []
        for record in sorted(records, key=attrgetter("incomplete")):  # the note's size goes to a complete one
            self._add(
                "links",
                record,
                record.link,
                commit_id=commit,
                trajectory_id=record.id,
                part_id=_part_id(record),
                month=month,
                carried=bool(record.link.carried_from),
                note_bytes=note_bytes,
                link=dump(to_json(record.link)).decode(),
            )
            note_bytes = 0

    def _add_history(self) -> None:
        """Count HEAD's commits by month and author, without merges that have no record."""
        recorded = {commit for commit, tally in self._tallies.items() if without_stubs(tally).trajectories}
        counted = Counter(
            (self._month(commit), described.author)
            for commit, described in self._described.items()
            if not described.merge or commit in recorded
        )
        for (month, author), number in counted.items():
            self._add("history", month=month, author=author, commits=number)

    # ------------------------------------------------------------ trajectories

    def _add_trajectory(self, folded: Folded) -> None:
        whole = folded.header(None)
        records = folded.records(None)
        struck = struck_in(records)
        present = self._present(folded)
        began, ended = whole["total"]["startedAt"], whole["total"]["endedAt"]
        retrospective = whole["retrospective"]
        self._add(
            "trajectories",
            **{name: whole[key] for name, key in _WHOLE.items()},
            month=self._month(None, began, ended),
            models=", ".join(whole["models"]) or None,
            task="\n".join(names_of_task(whole["task"])) or None,
            tags="\n".join(whole["tags"]) or None,
            parent_id=whole["parent"] and whole["parent"]["id"],
            started_at=_utc(began),
            ended_at=_utc(ended),
            produced=any(record.role == "produced" for record in chain(*folded.parts.values())),
            **{f"has_{name}": name in present for name in PARTS},
            retrospective=json.dumps(retrospective, ensure_ascii=False) if retrospective else None,
        )
        for record in records:
            figures = without_struck(record.id, record.figures, struck)
            self._add_part(folded, record, replace(record, figures=figures))

    def _present(self, folded: Folded) -> frozenset[str]:
        commit = next(iter(folded.parts))
        trajectories = self._tallies[commit].trajectories
        return next((each.present for each in trajectories if each.id == folded.whole["id"]), frozenset())

    def _add_part(self, folded: Folded, record: Record, shown: Record) -> None:
        home = self._home.get(record.key)
        figures = shown.figures
        key = {
            "trajectory_id": record.id,
            "part_id": _part_id(record),
            "month": self._month(home.commit if home else None, figures.started_at, figures.ended_at),
        }
        self._add(
            "parts",
            record,
            figures,
            figures.counts,
            figures.usage or Usage(),
            **key,
            commit_id=home.commit if home else None,
            counted=record.key in self._counted,
            agent=folded.whole["agent"],
            models=", ".join(folded.whole["models"]) or None,
            position=record.range.at if record.range else None,
            events=record.range.n if record.range else 0,
            started_at=_utc(figures.started_at),
            ended_at=_utc(figures.ended_at),
            has_usage=figures.usage is not None,
            cost_usd=cost(figures),
            redactions=sum(figures.redactions_by_rule.values()),
            segment_bytes=home.size if home else 0,
            summary=figures.summary.text if figures.summary else None,
            summary_by=figures.summary.by if figures.summary else None,
            record=dump(to_json(record)).decode(),
        )
        self._add_statements(key, shown)
        self._add_texts(key, shown)

    def _add_statements(self, key: Mapping[str, str], record: Record) -> None:
        figures = record.figures
        for number, decision in enumerate(figures.decisions):
            rejected = "\n".join(decision.alternatives) or None
            more = {"number": number, "rejected": rejected, "decided_by": decision.by}
            self._add("decisions", decision, **key, **more, confidence=share(decision.confidence))
        sources = [*figures.caveat_sources, *[None] * len(figures.caveats)]
        for number, (doubt, source) in enumerate(zip(figures.caveats, sources, strict=False)):
            self._add("doubts", source, **key, number=number, doubt=doubt, stated_by=source and source.by)
        for file in figures.files:
            self._add("files", file, **key)
        if figures.tests:
            self._add("tests", figures.tests, **key)

    def _add_texts(self, key: Mapping[str, str], record: Record) -> None:
        events = self._events.get(record.key, ())
        texts: dict[str, list[str]] = defaultdict(list)
        for field in read_part(record, events, ()).fields:
            texts[field.kind].append(field.text)
        ended = _utc(record.figures.ended_at)
        for kind, found in texts.items():
            self._add("texts", **key, kind=kind, ended_at=ended, text=BETWEEN.join(found))
        for number, event in enumerate(events):
            about = {"number": number, "event_id": event.id, "type": event_type(event)}
            written = dump(event_to_json(event)).decode()
            self._add(
                "events", **key, **about, happened_at=_utc(event.ts), content=event.content, event=written
            )


_WHOLE = {
    "trajectory_id": "id",
    "agent": "agent",
    "agent_version": "agentVersion",
    "session": "session",
    "status": "status",
    "title": "title",
    "confidence": "confidence",
}
"""Columns of ``trajectories`` by the fields of a HEADER."""


def _part_id(record: Record) -> str:
    """A part's id; empty for a stub, which has no events."""
    return record.key[1] or ""


def _utc(time: str | None) -> datetime | None:
    """Parse a time to UTC without a zone, the engines' form."""
    found = parse_time(time)
    try:
        return found.astimezone(UTC).replace(tzinfo=None) if found else None
    except (OverflowError, ValueError):
        return None


def _plain(value: Any, name: str, kind: str) -> Any:
    """Convert to a value that every engine can store: no NUL, no lone surrogate, no number beyond 64 bits,
    and no negative number, which a foreign record may have, except an exit status."""
    if value is None:
        return None
    if kind == "text":
        return sound(str(value)).replace("\0", " ")
    if kind == "int":
        return max(min(int(value), _MOST), -_MOST if name == "last_exit" else 0)
    return value
