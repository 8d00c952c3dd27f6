"""``git traj pr`` on a real branch."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gittraj.model.values import Decision, FileChanged, SessionInfo
from tests.integration import command
from tests.integration.records import traj
from tests.integration.repository import Git
from tests.integration.story import Story, record


@pytest.fixture
def branch(git: Git) -> Git:
    git.commit({"README": "here\n"})
    git("checkout", "-q", "-b", "topic")
    first = git.commit({"src/a.py": "1\n"}, "Begin")
    git.commit({"src/b.py": "1\n"}, "By hand")
    decided = Decision(chosen="a bucket", by="agent", alternatives=("a window",), reasoning="bursts")
    recorded = record(
        whole=SessionInfo(title="Limit the rate", agent="codex", session="s"),
        decisions=(decided,),
        files=(FileChanged(path="src/a.py", edits=6),),
    )
    with git.open() as repository:
        Story(repository).note(first, recorded)
    return git


def test_the_comment_of_a_branch(branch: Git) -> None:
    text = traj(branch, "pr", "--base", "main")
    assert text.startswith("### Why this change: Limit the rate\n")
    assert "**1 of 2 commits** have an agent trajectory · Codex · 1 session" in text
    assert "| a bucket | a window | bursts |" in text
    assert f"| ✍️ | `src/b.py` No trajectory for `{branch.head()[:7]}` |" in text
    assert "| ↩️ | `src/a.py` Edited 6 times |" in text


def test_a_decision_that_a_later_commit_reverted_is_marked(branch: Git) -> None:
    before = branch("rev-parse", "HEAD~1")
    branch("revert", "--no-edit", before)
    revert = branch.head()[:7]
    text = traj(branch, "pr", "--base", "main")
    assert f"| a bucket <sub>reverted by `{revert}`</sub> | a window | bursts |" in text
    assert f" <sub>reverted by `{revert}`</sub> | Codex |" in text, "the commit, too"
    assert f"  a bucket (reverted by {revert})\n" in traj(branch, "pr", "--base", "main", "--format", "text")
    assert "reverted by" not in traj(branch, "pr", "--base", "main", "--head", before)


def test_a_merge_with_a_record_is_one_of_the_commits(branch: Git) -> None:
    branch("switch", "-q", "-c", "side", "main")
    branch.commit({"src/a.py": "2\n", "src/c.py": "1\n"}, "Aside")
    branch("switch", "-q", "topic")
    branch("merge", "-q", "--no-commit", "-s", "ours", "side")
    merge = branch.commit({"src/a.py": "3\n", "src/c.py": "1\n"}, "Join")
    assert "**1 of 3 commits** have" in traj(branch, "pr", "--base", "main"), "a merge needs no record"
    decided = Decision(chosen="both", by="agent", alternatives=("ours",))
    with branch.open() as repository:
        Story(repository).note(merge, record("traj_two", decisions=(decided,), caveats=("Is it fast?",)))
    text = traj(branch, "pr", "--base", "main")
    assert "**2 of 4 commits** have an agent trajectory · Codex + Claude Code · 2 sessions" in text
    assert "| both | ours |" in text
    assert "| ⚠️ | `src/a.py` Claude Code warned: “Is it fast?” |" in text, "the only file that it resolved"
    assert f"| `src/c.py` | `{branch('rev-parse', 'side')[:7]}` |" in text


def test_pr_warns_before_anything_was_pushed(branch: Git, tmp_path: Path) -> None:
    hint = "hint: some records here are on no remote yet, where others find them: git traj push\n"
    assert command.traj(branch.root, "pr", "--base", "main").stderr == "", "no remote"
    branch("init", "-q", "--bare", str(tmp_path / "server.git"))
    branch("remote", "add", "origin", str(tmp_path / "server.git"))
    assert command.traj(branch.root, "pr", "--base", "main").stderr == hint
    branch("config", "traj.push", "auto")
    traj(branch, "push")
    assert command.traj(branch.root, "pr", "--base", "main").stderr == ""


def test_the_comment_as_text_for_a_terminal(branch: Git) -> None:
    text = traj(branch, "pr", "--base", "main", "--format", "text")
    assert text.splitlines()[0] == "Why this change: Limit the rate"
    assert "1 of 2 commits have an agent trajectory · Codex · 1 session" in text
    assert "\nLook here first\n" in text
    assert f"  src/b.py  No trajectory for {branch.head()[:7]}\n" in text
    assert "  a bucket" in text
    assert "  rejected  a window\n  why       bursts\n" in text
    assert not any(sign in text for sign in ("**", "<sub>", "`", "|"))
    assert traj(branch, "pr", "--base", "main", "--format", "gitlab") == traj(branch, "pr", "--base", "main")


@pytest.mark.parametrize("form", ["github", "gitlab"])
def test_no_host_reads_a_reference_in_the_markdown(branch: Git, form: str) -> None:
    """Gitea reads ``!1`` as GitLab does, and gets the form of Markdown that is named after GitHub."""
    made = branch.commit({"c": "1\n"}, "More")
    decided = Decision(chosen="as in !1 ~x %x &1 @team #1", by="agent", alternatives=("none",))
    with branch.open() as repository:
        Story(repository).note(made, record("traj_two", decisions=(decided,)))
    text = traj(branch, "pr", "--base", "main", "--format", form)
    assert "as in `!1` `~x` `%x` `&1` `@team` `#1`" in text


def test_a_prompt_typed_by_a_person_is_shown_even_if_it_is_older_than_the_branch(branch: Git) -> None:
    typed, given = (SessionInfo(title=t, agent="codex", session=t) for t in ("Cache prices", "Theming"))
    with branch.open() as repository:
        story = Story(repository)
        story.note(
            branch("rev-parse", "main").strip(), record("traj_two", whole=typed, prompt="Cache\nprices now")
        )
        later = record("traj_two", at=1, whole=typed, prompt="now the docs")
        story.note(branch.head(), later, record("traj_three", whole=given))
    text = traj(branch, "pr", "--base", "main")
    assert "**Asked:** “Cache prices”\n\n**Titled:** “Limit the rate” · “Theming”\n" in text


def test_the_comment_as_json(branch: Git) -> None:
    report = json.loads(traj(branch, "pr", "--base", "main", "--json"))
    assert (report["version"], report["commits"], report["recorded"], report["base"]) == (1, 2, 1, "main")
    assert report["head"] == branch.head()
    assert [session["agent"] for session in report["sessions"]] == ["codex"]
    assert report["markdown"] == traj(branch, "pr", "--base", "main")


def test_the_usual_base_is_found(branch: Git) -> None:
    assert "1 of 2 commits" in traj(branch, "pr")
    assert "No agent trajectory is attached to these 0 commits" in traj(
        branch, "pr", "--head", "main", "--base", "main"
    )


def test_pr_on_the_base_branch_itself(branch: Git) -> None:
    branch("switch", "-q", "main")
    done = command.traj(branch.root, "pr")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no branch to compare with: HEAD is main itself" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "why"),
    [(("--base", "nowhere"), "'nowhere' is not a commit here"), ((), "there is no branch to compare with")],
)
def test_no_base(branch: Git, arguments: tuple[str, ...], why: str) -> None:
    branch("branch", "-m", "main", "trunk")
    done = command.traj(branch.root, "pr", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert why in done.stderr
