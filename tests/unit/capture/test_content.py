"""A human commits what an agent wrote: which edits explain a commit, and which do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gittraj.capture.content import Changed, Writings
from gittraj.capture.session import Log
from gittraj.git import PathChange
from tests.unit.capture.logs import changed, commit, index, log, ran, said, wrote

TEN = "\n".join(f"line {n}" for n in range(10))


def taken(*changes: PathChange) -> Changed:
    """Return a commit of ``changes``."""
    made = commit("A", *changes).changes
    assert made
    return Changed(made)


def explained(of: Log, *changes: PathChange) -> list[str]:
    """Return the names of the calls that explain a commit of ``changes``."""
    found = Writings.of(of).explain(taken(*changes))
    return [of.entries[i].event.id for i in found]


@pytest.mark.parametrize(
    ("added", "calls"),
    [
        pytest.param(TEN, ["w"], id="all of its lines"),
        pytest.param(TEN + "\nmine\n" * 10, ["w"], id="half of the lines"),
        pytest.param(TEN + "\nmine" * 11, [], id="less than half"),
        pytest.param("mine", [], id="the same file only"),
        pytest.param("", [], id="nothing added"),
        pytest.param("\n".join(f"  \tline {n}  \n" for n in range(10)), ["w"], id="indented by a formatter"),
        pytest.param("\n".join(f"line {n}\r" for n in range(10)), ["w"], id="with CRLF"),
        pytest.param("line 1\n" * 3, [], id="three times a line that the call wrote once"),
    ],
)
def test_an_edit_with_half_of_a_paths_added_lines_explains_it(added: str, calls: list[str]) -> None:
    assert explained(log(wrote("w", "f", TEN)), changed("f", added)) == calls


def test_the_same_lines_in_another_path_explain_nothing() -> None:
    assert explained(log(wrote("w", "f", TEN)), changed("g", TEN)) == []


def test_one_explained_path_is_enough_and_each_path_counts_by_itself() -> None:
    of = log(wrote("w", "f", TEN), wrote("v", "g", "x"))
    assert explained(
        of, changed("f", TEN), changed("g", "mine\nmine\nmine"), changed("h", "mine\n" * 50)
    ) == ["w"]


@pytest.mark.parametrize(
    ("whole", "committed", "same"),
    [
        pytest.param("a\nb\n", "a\nb\n", True, id="equal"),
        pytest.param("a\r\nb\r\n", "a\nb\n", True, id="stored by autocrlf"),
        pytest.param("a\r\nb\r\n", "a\r\nb\r\n", True, id="CRLF as it is"),
        pytest.param("a\nb\n", "a\nc\n", False, id="changed by the human"),
        pytest.param("", "", True, id="emptied"),
        pytest.param("ü\n", "ü\n", True, id="not ASCII"),
    ],
)
def test_a_blob_that_equals_what_the_session_last_wrote_is_explained(
    whole: str, committed: str, same: bool
) -> None:
    of = log(wrote("w", "f", "", whole=whole))
    assert explained(of, changed("f", "unrelated lines", blob=committed)) == (["w"] if same else [])


def test_only_the_last_write_counts_as_whole() -> None:
    of = log(wrote("w", "f", whole="one\n"), wrote("v", "f", whole="two\n"))
    assert explained(of, changed("f", "x", blob="one\n")) == []
    assert explained(of, changed("f", "x", blob="two\n")) == ["v"]


def test_an_equal_file_is_explained_by_all_calls_whose_lines_it_has() -> None:
    of = log(wrote("w1", "f", "one"), wrote("no", "f", "gone"), wrote("w2", "f", "two", whole="one\ntwo\n"))
    assert explained(of, changed("f", "one\ntwo", blob="one\ntwo\n")) == ["w1", "w2"]


def test_a_deletion_is_explained_by_a_deletion_only() -> None:
    assert explained(log(wrote("w", "f", kind="delete")), changed("f", kind="delete")) == ["w"]
    assert explained(log(wrote("w", "f", TEN)), changed("f", kind="delete")) == []
    assert explained(log(wrote("w", "f", kind="delete")), changed("f", "back")) == []


def test_failed_edits_and_edits_elsewhere_explain_nothing() -> None:
    assert explained(log(wrote("w", "f", TEN, failed=True)), changed("f", TEN)) == []
    assert explained(log(wrote("w", "f", TEN), elsewhere=["w"]), changed("f", TEN)) == []
    assert explained(log(ran("c", "echo > f"), said("m", TEN)), changed("f", TEN)) == []


def test_lines_that_are_in_one_commit_do_not_explain_a_later_one() -> None:
    of = log(wrote("w", "f", TEN))
    writings = Writings.of(of)
    first = taken(changed("f", "line 1\nline 2"))
    writings.take(first)
    assert writings.explain(first) == []
    assert writings.explain(taken(changed("f", "line 3\nline 4"))) == [0]
    assert writings.paths() == {"f"}
    writings.take(taken(changed("f", TEN)))
    assert writings.paths() == set()


def test_unchanged_lines_of_a_file_that_the_agent_committed_explain_nothing() -> None:
    """A tool that writes whole files writes each of their braces; a human's brace is not the agent's."""
    of = log(wrote("w", "f", "{\nnew\n}", whole="{\nnew\n}"), ran("c", "git commit -am x"))
    writings = Writings.of(of)
    writings.take(taken(changed("f", "new", blob="{\nnew\n}")), before=index(of, "c"))
    assert writings.explain(taken(changed("f", "}"))) == []


def test_lines_written_after_the_commits_call_are_not_used_up_by_it() -> None:
    of = log(wrote("w1", "f", "same"), ran("c", "git commit -am x"), wrote("w2", "f", "same"))
    writings = Writings.of(of)
    writings.take(taken(changed("f", "same")), before=index(of, "c"))
    assert writings.explain(taken(changed("f", "same"))) == [index(of, "w2")]


def test_for_another_session_only_lines_that_the_committing_one_did_not_write_count() -> None:
    owner, guest = log(wrote("w", "f", "mine\nshared\n}")), log(wrote("v", "f", "shared\nguest's\n}"))
    owners, guests = Writings.of(owner), Writings.of(guest)

    def rest(text: str) -> list[int]:
        return guests.explain_rest(taken(changed("f", text)), owners)

    assert rest("mine\nshared\n}") == []
    assert rest("mine\nguest's") == [0]
    assert rest("mine\n}") == []
    assert rest("") == []


def test_for_another_session_each_edit_of_a_call_counts() -> None:
    """One call may edit several places of a file, and only the first may be in the commit."""
    (call, result), (other, _) = wrote("v", "f", "guest's"), wrote("v", "f", "later")
    both = replace(call, edits=(*call.edits, *other.edits))
    guest = Writings.of(log([both, result]))
    owner = Writings.of(log(wrote("w", "f", "mine")))
    assert guest.explain_rest(taken(changed("f", "mine\nguest's")), owner) == [0]


def test_for_another_session_a_path_that_the_committing_one_never_wrote_counts_by_blob() -> None:
    guest = Writings.of(log(wrote("v", "g", whole="{}\n")))
    made = taken(changed("f", "x"), changed("g", "{}", blob="{}\n"))
    assert guest.explain_rest(made, Writings.of(log(wrote("w", "f", "x")))) == [0]
    assert guest.explain_rest(made, Writings.of(log(wrote("w", "g", "{}", whole="{}\n")))) == []
