"""There is one comment, whatever other runs, people and the network do between our requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from github_action.comments import Comment
from github_action.errors import EventError, ForgeError, Gone, Limited, Refused, Unreachable
from github_action.retry import RetryBudget
from github_action.upsert_comment import Marker, Upserted, own, owner_of, upsert

BOT, MALLORY = "github-actions[bot]", "mallory"
OLD, NEW = "1" * 40, "2" * 40
MARKER = Marker(key="default", head=NEW, run=200)


@dataclass
class Stage:
    """A pull request with the comments that are ``there``, by id. ``meanwhile``: the changes that others make
    before each of our requests, in order. ``lose``: whether the connection is lost "before" or "after" the
    next write."""

    head: str = NEW
    there: dict[int, Comment] = field(default_factory=dict)
    meanwhile: list[Callable[[Stage], None]] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    lose: str = ""
    last: int = 100

    def add(self, body: str, author: str = BOT) -> Comment:
        self.last += 1
        self.there[self.last] = Comment(id=self.last, author=author, body=body, url=f"u{self.last}")
        return self.there[self.last]

    def happen(self) -> None:
        if self.meanwhile:
            self.meanwhile.pop(0)(self)

    def done(self, what: str) -> None:
        """Note a write, and raise if its answer is to be lost."""
        self.writes.append(what)
        if self.lose == "after":
            self.lose = ""
            raise Unreachable("lost", wait=2)

    def comments(self) -> tuple[Comment, ...]:
        self.happen()
        return tuple(self.there.values())

    def create(self, body: str) -> Comment:
        self.happen()
        if self.lose == "before":
            self.lose = ""
            raise Unreachable("lost", wait=2)
        made = self.add(body)
        self.done("create")
        return made

    def edit(self, comment: Comment, body: str) -> None:
        self.happen()
        if comment.id not in self.there:
            raise Gone("gone")
        self.there[comment.id] = replace(comment, body=body)
        self.done("edit")

    def delete(self, comment: Comment) -> None:
        self.there.pop(comment.id, None)
        self.writes.append("delete")

    def upsert(self, body: str = "text", marker: Marker = MARKER) -> Upserted:
        budget = RetryBudget(sleep=self.waited.append)
        return upsert(self, marker, body, author=BOT, is_live=lambda: self.head == marker.head, budget=budget)

    @property
    def bodies(self) -> list[str]:
        return [comment.body for comment in self.there.values() if comment.author == BOT]


def text(body: str, *, head: str = NEW, run: int = 200, key: str = "default") -> str:
    return f"{Marker(key=key, head=head, run=run)}\n{body}"


def test_without_a_comment_one_is_created() -> None:
    stage = Stage()
    found = stage.upsert()
    assert (found.result, stage.bodies) == ("created", [text("text")])
    assert found.comment == stage.there[101]


def test_an_existing_comment_is_edited_and_then_left_alone() -> None:
    stage = Stage()
    stage.add(text("old", head=OLD, run=100))
    found = stage.upsert()
    assert (found.result, stage.bodies, stage.writes) == ("updated", [text("text")], ["edit"])
    again = stage.upsert(marker=replace(MARKER, run=201))
    assert (again.result, stage.bodies, stage.writes) == ("unchanged", [text("text")], ["edit"])


@pytest.mark.parametrize("stored", ["a\r\nb", "a\nb\n\n", "a\nb"])
def test_line_ends_changed_by_github_are_not_a_change(stored: str) -> None:
    stage = Stage()
    stage.add(text(stored))
    assert stage.upsert("a\nb\n").result == "unchanged"


def test_a_run_for_an_old_head_writes_nothing() -> None:
    stage = Stage(head=NEW)
    old = replace(MARKER, head=OLD, run=100)
    assert stage.upsert(marker=old) == Upserted("superseded", None)
    stage.add(text("new"))
    assert stage.upsert(marker=old).result == "superseded"
    assert (stage.bodies, stage.writes) == ([text("new")], [])


def test_a_push_back_to_an_old_head_counts_as_new() -> None:
    stage = Stage(head=OLD)
    stage.add(text("new", run=300))
    assert stage.upsert(marker=replace(MARKER, head=OLD, run=100)).result == "updated"


def test_comments_of_others_stay() -> None:
    stage = Stage()
    foreign = {
        stage.add(text("forged"), MALLORY),
        stage.add(text("no bot", key="default"), "github-actions"),
        stage.add(text("another", key="other")),
        stage.add("> " + text("quoted")),
        stage.add(" " + text("late")),
        stage.add("<!-- git-traj:pr:v1 key=default head=x run=1 -->\nodd"),
        stage.add("<!-- git-traj:pr:v1 key=default.* head=" + NEW + " run=1 -->\nodd"),
        stage.add(str(MARKER) + "no line ends here"),
    }
    assert stage.upsert().result == "created"
    assert foreign < set(stage.there.values())
    assert len(stage.there) == len(foreign) + 1


OWNED = replace(MARKER, of=owner_of("7", "acme/app/.github/workflows/traj.yml"))
REPORT = "### Why this change: it was slow"


def test_another_workflows_comment_stays() -> None:
    """Its comment has our author, and begins with a marker: an earlier version's, or its workflow's."""
    stage = Stage()
    other = replace(OWNED, of=owner_of("7", "acme/app/.github/workflows/other.yml"))
    foreign = {stage.add(text("> quoted: never ours")), stage.add(f"{other}\n{REPORT}")}
    assert stage.upsert(REPORT, OWNED).result == "created"
    assert stage.upsert(REPORT, replace(OWNED, run=300)).result == "unchanged"
    assert foreign < set(stage.there.values())
    assert "delete" not in stage.writes


def test_a_report_of_an_earlier_version_is_taken_over_once() -> None:
    stage = Stage()
    first, second = stage.add(text(REPORT)), stage.add(text(REPORT))
    assert stage.upsert(REPORT, OWNED).result == "updated"
    assert stage.there[first.id].body == f"{OWNED}\n{REPORT}"
    assert stage.there[second.id] == second, "a comment that may not be ours is left alone"


def test_a_comment_edited_by_hand_stays_ours() -> None:
    stage = Stage()
    stage.add(f"{OWNED}\nsomebody's own words")
    assert stage.upsert(REPORT, OWNED).result == "updated"
    assert stage.bodies == [f"{OWNED}\n{REPORT}"]


def test_a_new_run_number_alone_is_not_a_change() -> None:
    stage = Stage()
    stage.upsert("see https://github.example/acme/app/actions/runs/1)", OWNED)
    assert stage.upsert("see https://github.example/acme/app/actions/runs/2)", OWNED).result == "unchanged"


def test_two_keys_have_two_comments() -> None:
    stage = Stage()
    stage.upsert("one")
    stage.upsert("two", replace(MARKER, key="docs-2"))
    assert stage.bodies == [text("one"), text("two", key="docs-2")]


@pytest.mark.parametrize("key", ["", "A", "a b", "a-->", "x" * 51, "é", "²"])
def test_a_key_must_be_a_short_word(key: str) -> None:
    with pytest.raises(EventError):
        Marker(key=key, head=NEW, run=1)


@pytest.mark.parametrize("lose", ["before", "after"])
@pytest.mark.parametrize("there", [True, False])
def test_after_a_write_without_an_answer_the_comments_are_read_again(lose: str, there: bool) -> None:
    stage = Stage(lose=lose if not there else "after")
    if there:
        stage.add(text("old", head=OLD))
    found = stage.upsert()
    assert (found.result, stage.bodies) == ("updated" if there else "created", [text("text")])
    assert found.comment


def test_a_comment_deleted_before_the_edit_is_created_again() -> None:
    stage = Stage(meanwhile=[lambda s: None, lambda s: s.there.clear()])
    stage.add(text("old", head=OLD))
    assert stage.upsert().result == "created"
    assert stage.bodies == [text("text")]


def test_if_the_comment_is_deleted_again_and_again_we_give_up() -> None:
    def replaced(stage: Stage) -> None:
        stage.there.clear()
        stage.add(text("x", head=OLD))

    stage = Stage(meanwhile=[replaced] * 50)
    with pytest.raises(Gone):
        stage.upsert()
    assert stage.writes == []


def test_a_refused_write_is_not_repeated() -> None:
    class Closed(Stage):
        def create(self, body: str) -> Comment:
            self.writes.append("create")
            raise Refused("no")

    stage = Closed()
    with pytest.raises(Refused):
        stage.upsert()
    assert (stage.writes, stage.waited) == (["create"], [])


def test_a_rate_limit_is_waited_for_within_the_budget() -> None:
    class Busy(Stage):
        def create(self, body: str) -> Comment:
            self.writes.append("create")
            raise Limited("slow", wait=60)

    stage = Busy()
    with pytest.raises(Limited):
        stage.upsert()
    assert (stage.writes, stage.waited) == (["create", "create"], [60])


def test_writes_are_a_second_apart() -> None:
    stage = Stage()
    for number in range(3):
        stage.add(text(f"{number}", head=OLD))
    stage.upsert()
    assert (stage.writes, stage.waited) == (["delete", "delete", "edit"], [1.0] * 3)


def other_run(head: str, body: str, run: int) -> Callable[[Stage], None]:
    """Return a change by another run that adds its own comment next to ours."""

    def act(stage: Stage) -> None:
        stage.add(text(body, head=head, run=run))

    return act


def clobber(head: str, body: str, run: int) -> Callable[[Stage], None]:
    """Return a change by another run that overwrites our first comment."""

    def act(stage: Stage) -> None:
        for number, comment in sorted(stage.there.items()):
            if comment.author == BOT:
                stage.there[number] = replace(comment, body=text(body, head=head, run=run))
                return

    return act


def lose(when: str) -> Callable[[Stage], None]:
    return lambda stage: setattr(stage, "lose", when)


def delete_first(stage: Stage) -> None:
    if stage.there:
        del stage.there[min(stage.there)]


MEANWHILE: list[Callable[[Stage], None]] = [
    lambda stage: None,
    lambda stage: None,
    delete_first,
    lose("before"),
    lose("after"),
    other_run(OLD, "old", 100),
    other_run(NEW, "other", 201),
    clobber(OLD, "old", 100),
    clobber(NEW, "other", 201),
]


@given(st.lists(st.sampled_from(MEANWHILE), max_size=14), st.integers(0, 3))
def test_whatever_happens_the_next_undisturbed_run_leaves_one_comment(
    meanwhile: list[Callable[[Stage], None]], already: int
) -> None:
    stage = Stage()
    for number in range(already):
        stage.add(text(f"old {number}", head=OLD, run=number))
    forged = stage.add(text("forged"), MALLORY)
    stage.meanwhile = [*meanwhile]
    try:
        first = stage.upsert()
        assert first.result != "unchanged"
    except ForgeError:
        pass
    assert len(stage.writes) <= 30
    stage.meanwhile, stage.lose = [], ""
    stage.there[forged.id] = forged
    quiet = stage.upsert(marker=replace(MARKER, run=202))
    assert [text("text", run=run) for run in (200, 202)].count(stage.bodies[0]) == 1
    assert len(stage.bodies) == 1
    assert quiet.comment in stage.there.values()
    assert stage.there[forged.id] == forged


@given(st.lists(st.sampled_from([0, 1]), max_size=40))
def test_two_runs_for_one_head_do_not_overwrite_each_other_again_and_again(turns: list[int]) -> None:
    """Before each request of the first run, the second may have written something else."""
    stage = Stage(meanwhile=[MEANWHILE[-1] if turn else MEANWHILE[0] for turn in turns])
    stage.add(text("old", head=OLD))
    found = stage.upsert()
    assert stage.writes.count("edit") <= 1
    assert found.result in ("updated", "superseded")
    assert len(stage.bodies) == 1


def test_a_copy_without_our_marker_does_not_hide_the_comment() -> None:
    stale = Comment(id=1, author=BOT, body="edited by hand", url="u")
    ours = replace(stale, body=f"{MARKER}\ntext")
    assert own((stale, ours), author=BOT, marker=MARKER) == [ours]
    assert own((ours, stale), author=BOT, marker=MARKER) == [ours]
