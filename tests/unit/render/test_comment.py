"""The comment on a pull request: its content in each state, how it shrinks, and no active foreign text."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gittraj.model.values import Decision, FileChanged, Retrospective, Summary
from gittraj.query.change import Change, Rewritten
from gittraj.render.comment.comment import Block, CommentOptions, fit, render_comment
from gittraj.render.comment.height import FOLD, height
from gittraj.render.comment.plain import render_plain
from gittraj.render.comment.tables import Location
from gittraj.render.text.terminal import Page
from tests.integration.story import record
from tests.unit.render.changes import A, B, C, change_of, figures, full_change, whole
from tests.unit.render.test_inert import LIVE, gfm, hostile

LOCATION = Location(
    server="https://github.example", repository="acme/shop", number=7, run="https://github.example/run"
)


def render(change: Change, options: CommentOptions = CommentOptions()) -> str:  # noqa: B008 - frozen
    return render_comment(change, LOCATION, options)


def test_the_summary_above_the_fold() -> None:
    text = render(full_change(title="Retry in the client, with jitter"))
    fold = text[: text.index("<details>")]
    assert fold.startswith("### Why this change: Retry in the client, with jitter\n")
    facts = "Claude Code + Codex · 2 sessions · 40m · ≥ $0.50 · last tests of a session: 12 passed · head"
    assert f"**2 of 3 commits** have an agent trajectory · {facts} `c3c3c3c`" in fold
    assert "> The 429s came in bursts.\n" in fold
    signs = re.findall(r"^\| (\S+) \| \[`\S+`\]\(\S+\) \w.* \|$", fold, re.M)
    assert signs == ["⚠️", "⚠️", "✍️", "↩️", "❔"]
    assert "Claude Code was unsure (55\u00a0%): “retry-after" in fold
    assert "No trajectory for [`c3c3c3c`](https://github.example/acme/shop/pull/7/commits/" in fold
    assert "Edited 8 times by 2 agents, reverted twice" in fold
    assert "**Decided** — 2 stated by the agent, 1 inferred" in fold
    assert "| full jitter <sub>90% sure</sub> | a fixed delay | bursts |" in fold
    assert "| five attempts <sub>inferred</sub> | no end |  |" in fold


def test_a_long_path_is_shown_by_its_end() -> None:
    path = "src/a/rather/deep/folder/of/the/shop/retry.py"
    assert "[`…/deep/folder/of/the/shop/retry.py`](https://" in LOCATION.file(path, most=34)
    assert "[`…try_with_a_long_name.py`]" in LOCATION.file("retry_with_a_long_name.py", most=24)
    assert f"[`{path}`]" in LOCATION.file(path)
    part_record = record("traj_one", whole=whole(), **figures(files=(FileChanged(path=path, edits=9),)))
    assert "| ↩️ | [`…/folder/of/the/shop/retry.py`](" in render(change_of({A: [part_record]}, files=(path,)))


def test_a_file_names_the_agent_that_wrote_it() -> None:
    wrote = {
        agent: record(f"traj_{agent}", whole=whole(agent=agent), files=(FileChanged(path=path, edits=1),))
        for agent, path in (("codex", "src/retry.py"), ("gemini-cli", "tests/test_retry.py"))
    }
    text = render(change_of({B: [*wrote.values()]}))
    assert re.search(r"`src/retry.py`\S* \| [^|]+ \| Codex \|", text)
    assert re.search(r"`tests/test_retry.py`\S* \| [^|]+ \| Gemini CLI \|", text)
    unnamed = render(change_of({C: [*wrote.values()]}))
    assert "agents worked on" not in unnamed
    assert not re.search(r"\| (?:Codex|Gemini CLI) \| 1 edit", unnamed), "no commit has these edits"
    assert re.search(r"`src/pool.py`\S* \| [^|]+ \|$", unnamed, re.M), (
        "no recorded edit is in it: a person may have written it"
    )


def test_a_session_of_several_commits_counts_once() -> None:
    shared = record("traj_one", whole=whole(), **figures())
    text = render(change_of({A: [shared], B: [shared], C: [shared]}))
    assert "1 session · 20m · $0.50" in text


def test_with_several_commits_the_result_names_its_commit() -> None:
    first, second = (record(name, whole=whole(), **figures()) for name in ("traj_one", "traj_two"))
    assert "**Result (b2b2b2b):** “The client" in render(change_of({A: [first], B: [second]}))


def test_without_a_reason_the_result_is_shown_and_the_prompt_only_on_request() -> None:
    text = render(change_of({A: [record("traj_one", whole=whole(), prompt="A private prompt", **{
        key: value for key, value in figures().items() if key != "prompt"})]}))  # fmt: skip
    assert text.startswith("### Why this change: Retry in the client\n")
    assert "Asked" not in text
    assert "**Result:** “The client retries with jitter.”" in text
    assert "Decided" not in text
    assert "A private prompt" not in text
    change = change_of(
        {A: [record("traj_one", whole=whole(), **{**figures(), "prompt": "A private prompt"})]}
    )
    assert "A private prompt" in render(change, CommentOptions(prompts=True))


def test_an_outcome_is_quoted_unless_it_says_that_work_was_abandoned() -> None:
    for result, shown in (("It retries.", "“It retries.”"), ("Abandoned: too slow", "Abandoned: too slow")):
        change = change_of({A: [record("traj_one", **figures(result=result))]})
        assert f"**Result:** {shown}\n" in render(change)
        assert f"\nresult    {shown}\n" in render_plain(change, CommentOptions(), Page())
    long = change_of({A: [record("traj_one", **figures(result="word " * 200))]})
    assert re.search(r"result    “[^”]+…”\n\n", render_plain(long, CommentOptions(), Page()))


def test_a_summary_in_markdown_is_shown_without_its_structure() -> None:
    summary = Summary(text="## Findings\n\n| a | b |\n\nThe pool is too small.", by="agent")
    text = render(change_of({A: [record("traj_one", summary=summary)]}))
    assert "| The pool is too small. |" in text
    assert "Findings |" not in text


def test_titles_of_sessions_are_shown_unless_they_are_the_heading() -> None:
    text = render(full_change(title="Retry in the client, with jitter"))
    assert "**Titled:** “Retry in the client” · “Test it”\n\n> The 429s came in bursts." in text
    assert "**Titled:** “Test it”\n" in render(full_change(title="Retry in the client"))


def test_the_text_above_the_folds_fits_on_a_screen() -> None:
    """The longer the texts, the fewer rows are shown; the others are folded."""
    chosen = tuple(
        Decision(
            chosen=f"{n} " + "word " * 25, by="agent", alternatives=("other " * 10,), reasoning="why " * 40
        )
        for n in range(9)
    )
    doubts = tuple(f"{n} I am not sure of it. " + "Really. " * 12 for n in range(5))
    part_record = record("traj_one", whole=whole(), **figures(decisions=chosen, caveats=doubts))
    wordy = change_of({A: [part_record]}, rewritten=Rewritten(before="e" * 40))
    for change in (full_change(), full_change(merged=A, rewritten=Rewritten(before="e" * 40)), wordy):
        above, _, below = render(change).partition("<details>")
        assert height(re.sub(r"(?m)^\|.*$", "", above)) <= FOLD
        assert above.count("\n| ") >= 4, "both tables have a row"
        shown = len(re.findall(r"^\| [^|]*\|[^|]*\|[^|]*\|$", above, re.M)) - 1
        if change is wordy:
            assert shown == 1
            assert "More decisions (8)" in below
            assert "More to look at (" in below


def test_an_unknown_time_is_not_shown() -> None:
    text = render(change_of({A: [record("traj_one", whole=whole())]}))
    assert "Claude Code · 1 session · head" in text


def test_a_retrospective_is_shown_at_the_last_commit_of_its_session() -> None:
    back = Retrospective(by="agent", summary="All of it went well.")
    parts = {commit: [record("traj_one", whole=whole(retrospective=back))] for commit in (A, B)}
    table = render(change_of(parts)).partition("| Commit |")[2]
    assert "| Retry | Claude Code | Changes `src/retry.py` |" in table
    assert "| Test it | Claude Code | All of it went well. |" in table


def test_columns_without_values_are_left_out() -> None:
    bare = [record(name, whole=whole(models=())) for name in ("traj_one", "traj_two")]
    text = render(change_of({A: bare}))
    assert "| Agent |\n|---|\n| Claude Code |\n" in text
    assert "| Commit | Subject | Agent | What it says |\n" in text
    text = render(change_of({A: [record(n, whole=whole(), **figures()) for n in ("traj_one", "traj_two")]}))
    assert "| Agent | Model | Time | Tokens out | Calls | Cost |\n|---|---|--:|--:|--:|--:|\n" in text


def test_commits_whose_notes_cannot_be_read_are_not_called_unrecorded() -> None:
    part_record = record("traj_one", whole=whole(), **figures())
    half = change_of({A: [part_record]}, left=(A, B))
    assert "**at least 1 of 3 commits** have" in render(half)
    assert "Not read in full (" in render(half)
    assert "**1 of 3 commits** have" in render(change_of({A: [part_record]}, left=(A,)))
    bare, none = change_of({}, left=(B,)), change_of({}, left=(A, B, C))
    for text in (render(bare), render_plain(bare, CommentOptions(), Page())):
        assert "No agent trajectory is attached to the other commits" in text
    for text in (render(none), render_plain(none, CommentOptions(), Page())):
        assert "No agent trajectory" not in text


def test_a_reason_is_shown_without_markup_for_bold() -> None:
    part_record = record("traj_one", whole=whole(), **figures(why="**Slow** without it"))
    assert "**Why:** “Slow without it”\n" in render(change_of({A: [part_record]}))


def test_several_tasks_are_shown_separately() -> None:
    first, second = (
        record(f"traj_{name}", whole=whole(title=f"Do {name}"), **figures(why=f"for {name}"))
        for name in ("one", "two")
    )
    change = change_of({A: [first], B: [second]})
    text = render(change)
    assert text.startswith("### Why this change\n"), "neither task is the heading of both"
    assert "**Titled:** “Do one” · “Do two”" in text
    assert "**Why (b2b2b2b):** “for two”" in text
    assert "titled    Do one\ntitled    Do two" in render_plain(change, CommentOptions(), Page())


def test_the_reasoning_of_a_decision_is_not_the_reason_for_the_change() -> None:
    """Why cache prices? Not because one server has no Redis."""
    decision = Decision(chosen="In the process", by="agent", alternatives=("Redis",), reasoning="One server")
    change = change_of({A: [record("traj_one", **figures(why="One server", decisions=(decision,)))]})
    assert "**Why:**" not in render(change)
    assert "| In the process | Redis | One server |" in render(change)
    quoted = replace(decision, by="rules", quote="I kept it in the process, because One server")
    fields = figures(why="I kept it in the process, because One server", decisions=(quoted,))
    assert "**Why:**" not in render(change_of({A: [record("traj_one", **fields)]}))
    stated = change_of({A: [record("traj_one", **figures(why="Pages were slow", decisions=(decision,)))]})
    assert "**Why:** “Pages were slow”" in render(stated)


def test_the_least_sure_decision_is_not_folded() -> None:
    sure = [Decision(chosen=f"choice {n}", by="agent", reasoning="r" * 200, confidence=0.9) for n in range(9)]
    unsure = Decision(chosen="a guess", by="agent", alternatives=("to ask",), confidence=0.4)
    text = render(change_of({A: [record("traj_one", **figures(decisions=(*sure, unsure)))]}))
    assert "| a guess <sub>40% sure</sub> | to ask |" in text[: text.index("<details>")]


def test_each_state_has_its_text() -> None:
    text = render(full_change(rewritten=Rewritten(before="e" * 40, carried=(A, B))))
    assert "> [!WARNING]\n> This describes [`c3c3c3c`]" in text
    assert "2 of 3 commits carry the records of what was replaced." in text
    one = render(full_change(rewritten=Rewritten(before="e" * 40, carried=(A,))))
    assert "1 of 3 commits carries the records of what was replaced." in one
    assert "has no trajectory." in text
    assert "> Merged as [`a1a1a1a`]" in render(full_change(merged=A))
    fork = render(full_change(fork="mallory/shop"))
    assert "The records come from the fork mallory/shop: they are not verified here." in fork
    assert "10 commits and 1 file more are not listed" in render(full_change(more=(10, 1)))
    unread = render(full_change(unread=True))
    assert "The records of the fork cannot be read here: it is gone, or private." in unread
    assert "$" not in render(full_change(), CommentOptions(cost=False))
    assert "](" not in render_comment(full_change(), Location(), CommentOptions())


def test_files_of_a_commit_without_a_record_are_listed() -> None:
    text = render(full_change())
    assert "| Tune the pool | — | Changes `src/pool.py` | — |" in text
    assert "`src/pool.py`](https://github.example/acme/shop/pull/7/files#diff-" in text
    change = full_change()
    many = tuple(f"src/{n}.py" for n in range(5))
    *others, last = change.commits
    wide = render(replace(change, commits=(*others, replace(last, files=many))))
    assert "| Changes `src/0.py`, `src/1.py`, `src/2.py` and 2 more | — |" in wide
    unknown = render(replace(change, commits=(*others, replace(last, files=(), known=False))))
    assert "Changes" not in unknown
    assert "| [`src/pool.py`](" in unknown
    assert ") | — | — | — |" in unknown
    assert "What 1 commit changed was not looked up." in unknown


def test_sealed_thinking_is_mentioned() -> None:
    header = "age-encryption.org/v1\n-> X25519 a\nb\n-> X25519 c\nd\n--- e\n"
    sealed = replace(record("traj_one", whole=whole(), **figures(thinking="sealed")), seals={"s": (header,)})
    other = replace(record("traj_two", whole=whole(), **figures()))
    assert "| sealed for 2 readers |" in render(change_of({A: [sealed], B: [other]}))


def test_whole_blocks_are_shortened_until_everything_fits() -> None:
    many = tuple(f"src/file{n}.py" for n in range(3_000))
    wide = full_change(files=many)
    text = render(wide)
    assert (len(text) <= 60_000, len(text.encode()) <= 200_000) == (True, True)
    assert "Shortened to fit: file by file" in text
    assert text.count("<details>") == text.count("</details>")
    tight = render_comment(wide, LOCATION, CommentOptions(), characters=1_500)
    assert len(tight) <= 1_500
    assert tight.startswith("### Why this change")
    tiny = render_comment(wide, LOCATION, CommentOptions(), characters=100)
    assert len(tiny) <= 100


def test_the_least_important_block_is_shortened_first() -> None:
    blocks = [Block(0, "head", ("head",)), Block(1, "a", ("a" * 50, "a")), Block(9, "b", ("b" * 50, ""))]
    assert fit(blocks, characters=200, max_bytes=200) == f"head\n\n{'a' * 50}\n\n{'b' * 50}\n"
    assert (
        fit(blocks, characters=105, max_bytes=200)
        == f"head\n\n{'a' * 50}\n\n<sub>Shortened to fit: b.</sub>\n"
    )
    assert fit(blocks, characters=60, max_bytes=200) == "head\n\na\n\n<sub>Shortened to fit: a, b.</sub>\n"


OURS = set(
    "h3 strong code p blockquote table thead tbody tr th td details summary sub a ul li br".split()  # noqa: SIM905
)


@pytest.mark.parametrize("seed", range(40))
def test_no_foreign_text_becomes_active(seed: int) -> None:
    evil = hostile(seed), hostile(seed + 1_000), hostile(seed + 2_000), hostile(seed + 3_000)
    part_record = record(
        "traj_one",
        whole=whole(
            title=evil[0],
            agent=evil[1],
            models=(evil[2],),
            retrospective=Retrospective(by=evil[3], summary=evil[0]),
        ),
        **figures(
            prompt=evil[1],
            summary=Summary(text=evil[2], by=evil[3]),
            decisions=(
                Decision(
                    chosen=evil[0], by=evil[1], alternatives=(evil[2],), reasoning=evil[3], confidence=0.1
                ),
            ),
            caveats=(evil[0],),
            files=(FileChanged(path=evil[3], edits=9, reverts=1),),
        ),
    )
    change = change_of({A: [part_record]}, title=evil[0], fork=evil[1], files=(evil[3], "x"))
    change = replace(
        change, commits=tuple(replace(c, subject=evil[2], files=(evil[3],)) for c in change.commits)
    )
    page = gfm(render(change, CommentOptions(prompts=True)))
    assert {tag for tag, _ in page.tags} <= OURS, {tag for tag, _ in page.tags} - OURS
    assert not page.strange
    for tag, attributes in page.tags:
        for name, value in attributes:
            assert (tag, name) in {("a", "href"), ("th", "align"), ("td", "align")}
            assert name == "align" or str(value).startswith("https://github.example/")
    plain = "".join(page.plain).replace("$0.50", "").replace("[!", "")
    assert not LIVE.search(plain), LIVE.search(plain)


def test_the_commits_of_the_change_are_listed() -> None:
    assert [c.commit for c in full_change().own] == [A, B, C]
    assert [c.commit for c in full_change().recorded] == [A, B]
