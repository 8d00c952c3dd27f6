"""The only composer: redacts, seals and writes parts that are already read and linked to commits.

The order is fixed: data refs first, then the records that name them; a process that dies in between leaves a
segment that no record names, never a record whose events are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from gittraj.config import Config
from gittraj.errors import RedactionError
from gittraj.git import Repository
from gittraj.model.values import Line, Record, TaskRef
from gittraj.record.batch import write_batch
from gittraj.record.draft import Draft, Prepared, Written, this_month
from gittraj.record.encode import Encoder
from gittraj.record.rewrite_segments import Renewal, clean_record, latest, rewrite, search
from gittraj.redact.events import Redact
from gittraj.seal.events import Sealing


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """The composer of one repository.

    ``redactor`` makes one redactor for the parts of one trajectory, with the rules of version ``ruleset``; it
    knows ``known`` secrets by their hashes, and ``remember`` stores the hashes of secrets that it learns.
    ``expose`` is called with the trajectories that have a secret which was already pushed. ``sealing`` knows
    the readers for whom thinking is sealed, if it is sealed. ``localise`` removes this machine's folders from
    a text; ``task_of`` finds the task of a part whose log does not name one. ``rewrites`` maps each rewritten
    commit to the commits that it became, now or earlier; ``gathered`` has only rewrites into squashes."""

    repository: Repository
    config: Config
    redactor: Callable[[], Redact]
    ruleset: str
    known: int = 0
    remember: Callable[[frozenset[str]], object] = lambda _: None
    expose: Callable[[frozenset[str]], object] = lambda _: None
    sealing: Sealing | None = None
    localise: Callable[[str], str] = lambda text: text
    task_of: Callable[[Draft], TaskRef | None] = lambda _: None
    rewrites: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gathered: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def write(
        self,
        drafts: Sequence[Draft],
        *,
        carry: Iterable[tuple[str, str]] = (),
        lines: Iterable[tuple[str, Line]] = (),
    ) -> Written:
        """Write parts, carry the records of rewritten commits (``carry`` has pairs of old and new), and add
        finished ``lines`` (stubs, tombstones, copies of records that are redacted already), all in one batch.
        A record without an origin gets its commit as origin.

        Raises StoreError; then no record was written, and a second attempt gives the same result.
        """
        prepared = self.prepare(drafts)
        return self.store([replace(prepared, lines=(*lines, *prepared.lines))], carry=carry)

    def prepare(self, drafts: Sequence[Draft]) -> Prepared:
        """Redact parts, and write their events as blobs that no ref contains yet. May run in several
        processes at once. Raises StoreError."""
        month = this_month()
        written = Written(searched=self.known)
        encoder = Encoder(self.config, self.ruleset, self.sealing, self.localise, month)
        files: dict[str, bytes] = {}
        lines: list[tuple[str, Line]] = []
        learned: frozenset[str] = frozenset()
        renewals: list[Renewal] = []
        for group in _by_trajectory([self._with_task(draft) for draft in drafts]):
            redactor = self.redactor()
            before = redactor.hashes()
            encoded = encoder.encode(group, redactor)
            fresh = redactor.hashes() - before
            try:
                renewal = self._search_earlier(group, redactor, month, fresh=bool(fresh))
            except (RedactionError, RecursionError):
                renewal, written.searched = None, 0  # the next drain tries again
            files.update(encoded.files)
            written.segments.update(encoded.segments)
            written.parked.extend(encoded.parked)
            if renewal is not None:
                files.update(renewal.files)
                written.segments.update({key: r.segments for key, r in renewal.records.items()})
                renewals.append(renewal)
            lines += [(c, renewal.rename(record) if renewal else record) for c, record in encoded.records]
            learned |= fresh
        written.remark = self.sealing.remark if self.sealing else None
        return Prepared(
            month=month,
            lines=tuple(lines),
            blobs=self._write_blobs(files),
            learned=learned,
            renewals=tuple(renewals),
            written=written,
        )

    def store(
        self,
        prepared: Sequence[Prepared],
        *,
        carry: Iterable[tuple[str, str]] = (),
        became: Iterable[tuple[str, str]] = (),
    ) -> Written:
        """Add prepared parts to the refs, as one batch. ``became`` are further known rewrites, of commits
        that were split. Raises StoreError; then no record was written."""
        if learned := frozenset[str]().union(*(each.learned for each in prepared)):
            self.remember(learned)
        written = write_batch(
            self.repository,
            prepared,
            carry=list(carry),
            became=list(became),
            rewrites=self.rewrites,
            gathered=self.gathered,
        )
        if written.exposed:
            self.expose(frozenset(written.exposed))
        return written

    def rescan(self, trajectory: str, records: Collection[Record]) -> Prepared:
        """Scan stored parts with today's rules; all of ``records`` get today's ruleset version. Raises
        RedactionError, StoreError."""
        month = this_month()
        redactor = self.redactor()
        refs = [ref for record in records for ref in record.segments]
        replacements = search(self.repository, trajectory, refs, redactor, paths=self.config.strict)
        keys = {record.key for record in records}
        change = partial(clean_record, redactor, self.ruleset, replacements)
        renewal = rewrite(self.repository, trajectory, replacements, change, month=month, keys=keys)
        return self._prepare_renewals([renewal], month, learned=redactor.hashes())

    def rewrite(self, renewals: Sequence[Renewal]) -> Written:
        """Store parts that are rewritten already, and nothing else. Raises StoreError."""
        return self.store([self._prepare_renewals(renewals, this_month())])

    def _prepare_renewals(
        self, renewals: Sequence[Renewal], month: str, *, learned: frozenset[str] = frozenset()
    ) -> Prepared:
        files = {path: body for renewal in renewals for path, body in renewal.files.items()}
        segments = {key: r.segments for renewal in renewals for key, r in renewal.records.items()}
        return Prepared(
            month=month,
            blobs=self._write_blobs(files),
            learned=learned,
            renewals=tuple(renewals),
            written=Written(segments=segments),
        )

    def _write_blobs(self, files: Mapping[str, bytes]) -> dict[str, str]:
        objects = self.repository.objects
        blobs = {path: objects.write_blob(body) for path, body in files.items()}
        objects.flush()
        return blobs

    def _search_earlier(
        self, drafts: Sequence[Draft], redactor: Redact, month: str, *, fresh: bool
    ) -> Renewal | None:
        """Redact the secrets in a trajectory's stored parts that became known later. Raises RedactionError,
        RecursionError."""
        trajectory = drafts[0].trajectory.id
        earlier = latest(ref for draft in drafts for ref in draft.earlier)
        if not earlier or not (fresh or any(draft.searched < self.known for draft in drafts)):
            return None
        replacements = search(self.repository, trajectory, earlier, redactor, paths=self.config.strict)
        if not replacements:
            return None
        change = partial(clean_record, redactor, self.ruleset, replacements)
        return rewrite(self.repository, trajectory, replacements, change, month=month)

    def _with_task(self, draft: Draft) -> Draft:
        whole = draft.trajectory.whole
        task = self.task_of(draft) if whole.task is None else None
        if task is None:
            return draft
        return replace(draft, trajectory=replace(draft.trajectory, whole=replace(whole, task=task)))


def _by_trajectory(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    groups: dict[str, list[Draft]] = {}
    for draft in drafts:
        groups.setdefault(draft.trajectory.id, []).append(draft)
    yield from groups.values()
