"""Finds the commits that now contain the work of rewritten ones.

It needs no hooks and stores nothing: reflogs first, then patches, trees and the ids that messages quote. No
evidence, no link.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from types import MappingProxyType

from gittraj.frozen import dataclass
from gittraj.git import Repository, read_changes
from gittraj.history.copies import (
    find_displaced,
    find_splits,
    is_fragment,
    match_displaced,
    match_patches,
    match_picked,
    match_trees,
    read_quotes,
)
from gittraj.history.history import History, Kin, Pair, Rewrite, Source, follow, leads
from gittraj.history.pulls import find_squashes, match_pulls
from gittraj.history.reading import Patches, read_history, read_pulls, read_reflogs
from gittraj.history.rebases import match_absorbed, match_rebase, read_steps
from gittraj.history.squashes import LONGEST, find_ranges, match_replaced, match_squashes, range_change
from gittraj.history.story import Story, choose, read_story


def find_rewrites(
    repository: Repository,
    old: Collection[str],
    *,
    known: Mapping[Pair, Source] = MappingProxyType({}),
    taken: Collection[str] = (),
    within: float | None = None,
) -> list[Rewrite]:
    """Find the commits, reachable from a branch, a tag or a HEAD, that those in ``old`` became or were copied
    to. If a commit was split, the result also has its fragments that are gone, so that nobody looks for their
    work in the others.

    ``known`` are pairs found before, for example by hooks; they can be steps of a longer chain. ``taken`` are
    commits with work of their own: evidence of content alone never links to them, unless such a commit
    replaced old commits and has their base as its parent. The result is in the order of ``old``, without
    commits that have no evidence. Raises GitError if git fails, or takes more than ``within`` seconds.
    """
    story = read_story(*read_reflogs(repository))
    tips = read_pulls(repository)
    others = [*old, *story.commits(), *(tip for each in tips.values() for tip in each)]
    history = read_history(repository, others, within=within)
    olds = [commit for commit in dict.fromkeys(old) if commit in history.commits]
    if not olds:
        return []
    search = _Search(repository, history, known, frozenset(taken), history.reachable, tips)
    search.match_reflogs(story, olds)
    search.compare_contents(story, olds)
    while search.search_intermediate(story, olds):
        search.compare_contents(story, olds)
    return list(search.results(olds))


def _find_sources(
    forms: Iterable[str],
    links: Mapping[Pair, Source],
    became: Mapping[str, Sequence[str]],
    *,
    unsquashed: Collection[str],
) -> dict[str, Source]:
    """The commits that one of ``forms`` became, with the evidence: that of the link for the ``unsquashed``
    ones, to which a chain without a squash leads, else ``squash``."""
    sources: dict[str, Source] = {}
    for form in forms:
        for new in became.get(form, ()):
            sources.setdefault(new, links[form, new] if new in unsquashed else "squash")
    return sources


@dataclass(frozen=True, slots=True)
class _Search:
    """Collects links between all known commits, also those that are gone again, because a chain may lead
    through them. For the same pair, the earlier evidence is kept. ``among`` are the commits that may have the
    work of old ones; ``pulls`` maps the numbers of pull requests to their last commits; ``fragments`` are the
    commits that each one was split into."""

    repository: Repository
    history: History
    known: Mapping[Pair, Source]
    taken: frozenset[str]
    among: Collection[str]
    pulls: Mapping[int, Collection[str]] = field(default_factory=dict)
    links: dict[Pair, Source] = field(default_factory=dict)
    fragments: dict[str, list[str]] = field(default_factory=dict)

    @property
    def patches(self) -> Patches:
        return Patches(self.repository, self.history)

    def results(self, olds: Iterable[str]) -> Iterator[Rewrite]:
        links, became, reachable = {**self.known, **self.links}, self._became(), self.history.reachable
        alone = leads(pair for pair, source in links.items() if source != "squash")
        for old in olds:
            forms = list(follow([old], became))
            sources = _find_sources(forms, links, became, unsquashed={*follow([old], alone)})
            present = reachable.intersection(sources) - {old}
            yield from (Rewrite(old, new, sources[new]) for new in sources if new in present)
            if present:
                yield from (Rewrite(old, each, "tree") for each in self._gone_fragments(forms, became))

    def _gone_fragments(self, forms: Iterable[str], became: Mapping[str, Sequence[str]]) -> list[str]:
        """The fragments of a commit's ``forms`` that are not reachable, nor anything that they became."""
        fragments = dict.fromkeys(chain.from_iterable(self.fragments.get(form, ()) for form in forms))
        return [each for each in fragments if self.history.reachable.isdisjoint(follow([each], became))]

    def match_reflogs(self, story: Story, olds: Collection[str]) -> None:
        history, patches = self.history, self.patches
        chosen = [(each, read_steps(rebase, history)) for rebase, each in choose(story, history, olds)]
        patches.compare(
            [history.change(c) for originals, _ in chosen for c in originals],
            [step.change for _, steps in chosen for step in steps],
        )
        self._add(story.amends, "reflog")
        for originals, steps in chosen:
            pairs = match_rebase(originals, steps, history)
            self._add([*pairs, *self._find_absorbed({*originals} - {s.new for s in steps}, pairs)], "reflog")
        self._find_picks(story, olds)

    def _find_picks(self, story: Story, olds: Collection[str]) -> None:
        history, patches = self.history, self.patches
        picked = [c for c in story.copies if c in history.commits]
        alike = [history.by_identity[history.commits[new].identity] for new in picked]
        relatives = set(chain.from_iterable(alike))
        patches.read_paths(map(history.change, relatives))
        several = dict.fromkeys(c for some in alike if len(some) > 2 for c in some)
        lines = {c: changes.lines for c, changes in read_changes(self.repository, list(several)).items()}
        before = -1
        while before < len(self.links):  # a pick may be picked again
            before = len(self.links)
            known, became = self._known(olds), self._became()
            patches.compare(map(history.change, {*known, *relatives}), map(history.change, picked))
            picks = match_picked(picked, known, history=history, lines=lines, became=became)
            self._add(list(picks), "reflog")

    def _find_absorbed(self, originals: Collection[str], pairs: Collection[Pair]) -> Iterable[Pair]:
        """Match originals that were left out with commits that have their lines, if the patch of one of these
        commits changed: a conflict was resolved in it."""
        left_out = sorted({*filter(self.history.change, originals)} - {old for old, _ in pairs})
        resolved = {new for old, new in pairs if self._has_other_patch(old, new)}
        if not left_out or not resolved:
            return ()
        some = [pair for pair in pairs if pair[1] in resolved]
        wanted = dict.fromkeys([*left_out, *chain.from_iterable(some)])
        return match_absorbed(left_out, some, read_changes(self.repository, list(wanted)))

    def _has_other_patch(self, old: str, new: str) -> bool:
        change, patch = self.history.change, self.history.patch
        return (patch(change(old)) or old) != (patch(change(new)) or new)

    def compare_contents(self, story: Story, olds: Collection[str]) -> None:
        history = self.history
        known = self._known(olds)
        kin_of_known = Kin(history, known)
        ends = [*(c for c in history.commits if c not in history.children), *story.left]
        tips = self._below(kin_of_known, dict.fromkeys(ends))
        pulls = {
            number: some for number, each in self.pulls.items() if (some := self._below(kin_of_known, each))
        }
        kin = Kin(history, dict.fromkeys([*known, *tips, *(tip for each in pulls.values() for tip in each)]))
        targets = self._targets(known, kin_of_known, self.among)
        self.patches.compare(map(history.change, known), map(history.change, targets))
        self._find_quotes(known)
        self._find_patches(known, targets, kin)
        self._find_by_tree(known, targets)
        # one fragment may be kept while another was rewritten: together they are the whole
        self._find_splits(known, self._targets(known, kin_of_known, history.reachable))
        self._find_squashes(known, targets, tips, kin)
        self._find_pulls(known, targets, pulls, kin)

    def _below(self, kin_of_known: Kin, tips: Iterable[str]) -> list[str]:
        """Those ``tips`` that ``kin_of_known`` marks, or that descend from a marked commit."""
        return [tip for tip in tips if tip in self.history.commits and kin_of_known.descends(tip)]

    def _find_quotes(self, known: Collection[str]) -> None:
        quotes = list(read_quotes(self.history, known))
        self._add([(old, new) for old, new, squashed in quotes if not squashed], "patch-id")
        self._add(self._confirm([(old, new) for old, new, squashed in quotes if squashed]), "squash")

    def _find_patches(self, known: Collection[str], targets: Iterable[str], kin: Kin) -> None:
        explained = {new for _, new in self.links}
        left = [c for c in targets if c not in explained]
        pairs = match_patches(known, left, history=self.history, kin=kin, became=self._became())
        self._add(list(pairs), "patch-id")

    def _find_by_tree(self, known: Collection[str], targets: Iterable[str]) -> None:
        """Match commits by the same tree, or by the same parents."""
        history, patches = self.history, self.patches
        merges = [c for c in self.among if len(history.commits[c].parents) > 1]
        free = {*targets, *merges} - self.taken
        self._add([*match_trees(known, free, history=history, became=self._became())], "tree")
        matched = {old for old, _ in self.links}
        lost = find_displaced([c for c in known if c not in matched], history)
        siblings = [new.id for c in lost for new in history.by_parents[history.commits[c].parents]]
        patches.read_paths(map(history.change, {*lost, *siblings}))
        self._add(self._confirm([*match_displaced(lost, history=history)]), "tree")

    def _find_pulls(
        self, known: Collection[str], targets: Iterable[str], pulls: Mapping[int, Collection[str]], kin: Kin
    ) -> None:
        history, patches = self.history, self.patches
        explained = {new for _, new in self.links}
        squashes = list(find_squashes(pulls, targets, explained, history=history, kin=kin))
        patches.read_paths(change for s in squashes for change in (s.change, history.change(s.new)))
        self._add(list(match_pulls(squashes, known, history)), "pull")

    def search_intermediate(self, story: Story, olds: Collection[str]) -> bool:
        """Search the intermediate commits: they were rewritten, too, before a search ran, and are only in the
        reflogs. Return whether that links to commits that were not known."""
        reachable = self.history.reachable
        between = [c for c in story.rewritten(self.history) if c not in reachable]
        if {*between} <= {*olds}:
            return False
        before = len(self._known(olds))
        self.match_reflogs(story, between)
        explained = {new for _, new in self.links}
        firsts = frozenset(between).difference(explained, olds)
        passed = replace(self.history, reachable=reachable | firsts)
        replace(self, history=passed, among=firsts, pulls={}).compare_contents(story, olds)
        return len(self._known(olds)) > before

    def _find_splits(self, known: Collection[str], targets: Collection[str]) -> None:
        lines = list(find_splits(known, targets, history=self.history))
        wanted = dict.fromkeys(c for old, line in lines for c in (old, *line))
        changes = read_changes(self.repository, list(wanted))
        commits = self.history.commits
        for old, line in lines:
            if all(is_fragment(changes[c], changes[old]) for c in line):
                # an older commit in the line existed before: the old commit was made from it
                fragments = [c for c in line if commits[c].committed >= commits[old].committed]
                self._add([(old, new) for new in fragments], "tree")
                self.fragments.setdefault(old, []).extend(fragments)

    def _find_squashes(
        self, known: Collection[str], targets: Collection[str], tips: Iterable[str], kin: Kin
    ) -> None:
        history, patches = self.history, self.patches
        ends = dict.fromkeys([*known, *tips])
        replaced = match_replaced(ends, self.among, history=history)
        self._add(self._confirm([pair for pair in replaced if pair[0] in known]), "squash")
        squashed = (pair for pair, source in self.known.items() if source == "squash")
        matched = {new for _, new in (*self.links, *squashed)}
        left = [c for c in targets if c not in matched]
        if not left:
            return
        line = {c for end in ends for c in history.line(end, most=LONGEST)}
        patches.read_paths([*map(history.step, line), *map(history.change, left)])
        spans = list(find_ranges(ends, left, history=history, kin=kin))
        changes = [range_change(history, span) for span in spans]
        patches.compare([*changes, *map(history.change, line)], map(history.change, left))
        pairs = match_squashes(spans, known, left, history=history, kin=kin, became=self._became())
        self._add(self._confirm([*pairs]), "squash")

    def _confirm(self, pairs: Collection[Pair]) -> list[Pair]:
        """The pairs (old, squash) whose squash still adds a line of ``old``: another commit of the range may
        have removed them all. A merge is always kept."""
        changes = read_changes(self.repository, list(dict.fromkeys(chain.from_iterable(pairs))))
        return [
            (old, new)
            for old, new in pairs
            if len(changes[old].parents) > 1 or changes[new].shares_changes_with(changes[old])
        ]

    def _became(self) -> dict[str, list[str]]:
        return leads([*self.known, *self.links])

    def _known(self, olds: Iterable[str]) -> dict[str, None]:
        """Return ``olds`` and the commits that they became, if their objects are here, as an ordered set."""
        commits = follow(olds, leads(self.links))
        return dict.fromkeys(c for c in commits if c in self.history.commits)

    def _targets(self, known: Collection[str], kin: Kin, among: Iterable[str]) -> list[str]:
        oldest = min(self.history.commits[c].began for c in known)
        return [
            c
            for c in among
            if c not in self.taken
            and not kin.related_to_all(c)
            and self.history.commits[c].committed >= oldest
            and self.history.change(c)
        ]

    def _add(self, pairs: Iterable[Pair], source: Source) -> None:
        """Add links. Evidence of content never links a commit to its own source: a copy that is gone has no
        successor, though its source may be where it was."""
        became = self._became() if source != "reflog" else {}
        for old, new in pairs:
            if old != new and old not in follow([new], became):
                self.links.setdefault((old, new), source)
