"""Private text is stored nowhere: not in an object, reachable or not, and not in the local state."""

from __future__ import annotations

import json
import os
import random
import re
import string
import subprocess
import sys
from pathlib import Path

import pytest

from gittraj.commands.export import EXCHANGES, FOLDERS, FORMATS
from tests.e2e.agents import Agent
from tests.e2e.scenario import Fact, Shell, Turn, Write, facts, turn
from tests.e2e.workshop import Workshop, events
from tests.sizes import some

THOUGHT = "Cormorants dry their wings before they think again."
SAID = "The plan is written down."


@pytest.fixture
def token() -> str:
    """A fresh secret in the shape of a GitHub token."""
    return "ghp" + "_" + "".join(random.choices(string.ascii_letters + string.digits, k=36))


def plan(*, path: str = "plan.txt", text: str = "Dig a pond\n") -> list[Turn]:
    """A script that thinks, writes one file, commits it, and says so."""
    return [
        turn(Write(path, text), think=THOUGHT),
        turn(Shell(f"git add {path} && git commit -m 'Plan {path}'")),
        turn(say=SAID),
    ]


def test_sealed_thinking_is_nowhere_in_clear(agent: Agent, workshop: Workshop, tmp_path: Path) -> None:
    """The owner can read the thinking; nothing else that is stored, sent or printed has a word of it."""
    workshop.traj("keys", "init")
    workshop.commit(".gitignore", "private/\n")
    (workshop.path / "private").mkdir()
    (workshop.path / "private" / "thought").write_text(THOUGHT)
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "server")], check=True)
    workshop.git("remote", "add", "origin", str(tmp_path / "server"))
    workshop.git("config", "traj.push", "auto")
    run = agent.run(plan(), folder=workshop.path)
    workshop.settle(run)
    workshop.traj("push", "origin")

    assert THOUGHT in run.log.read_text()
    trajectory = workshop.only()
    assert (trajectory["thinking"], trajectory["readers"]) == ("sealed", 1)
    assert THOUGHT in workshop.traj("show", "--show-thinking")
    printed = [
        workshop.traj(*words)
        for words in (
            ("show", "--events"),
            ("show", "--json"),
            ("show", "--format", "markdown"),
            ("show", "--format", "html"),
            *(("export", "--format", form) for form in FORMATS),
            ("log", "--json"),
            ("log", "--grep", "Cormorants"),
            ("context", "plan.txt"),
            ("pr", "--base", "HEAD~1"),
            ("status", "--json"),
            ("doctor",),
        )
    ]
    for form in (*FOLDERS, *EXCHANGES):
        (tmp_path / form).mkdir()
        workshop.traj("export", "--format", form, "-o", str(tmp_path / form))
        printed += [
            file.read_text("utf-8", "replace") for file in (tmp_path / form).rglob("*") if file.is_file()
        ]
    assert any("sealed for 1 reader" in text for text in printed)
    sent = Workshop(tmp_path / "server").stored()
    assert b"age-encryption.org/v1" in sent
    for text in (*printed, crash(workshop, tmp_path)):
        assert "Cormorants" not in text
    assert b"Cormorants" not in sent + workshop.stored()
    for file in (workshop.path / ".git").rglob("*"):
        assert not file.is_file() or b"Cormorants" not in file.read_bytes()


def test_thinking_is_kept_in_clear_if_that_is_configured(agent: Agent, workshop: Workshop) -> None:
    workshop.git("config", "traj.thinking", "clear")
    run = agent.run(plan(), folder=workshop.path)
    workshop.settle(run)

    trajectory = workshop.only()
    assert trajectory["thinking"] == "clear"
    assert [e["content"] for e in events(trajectory) if e["type"] == "thinking"] == [THOUGHT]
    assert facts(events(trajectory)) == run.facts()


@pytest.fixture
def secrets() -> dict[str, str]:
    """Return texts of files that an agent will print, by name; they contain fresh secrets of many kinds."""

    def drawn(length: int, alphabet: str = string.ascii_letters + string.digits) -> str:
        return "".join(random.choices(alphabet, k=length - 4)) + "x7Q2"

    aws, password, stripe = "AKIA" + drawn(16, string.ascii_uppercase).upper(), drawn(18), drawn(24)
    coloured = "ghp" + "_" + drawn(36)
    body = "\n".join(drawn(64) for _ in range(6))
    kind = "RSA PRIVATE" + " KEY"
    return {
        ".env": f"COLOUR={drawn(14)}\nSTRIPE={stripe}\n",
        "aws.txt": f"aws_access_key_id = {aws}\naws_secret_access_key = {drawn(40)}\n",
        "database.txt": f"psql postgres://ann:{password}@db.internal:5432/ponds\n",
        "coloured.txt": f"token \x1b[31m{coloured[:9]}\x1b[0m\x1b[32m{coloured[9:]}\x1b[0m ok\n",
        "key.txt": f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n",
    }


def values(secrets: dict[str, str]) -> list[str]:
    """Return the secret values in the files: each long random word."""
    words = [word for text in secrets.values() for word in re.findall(r"[A-Za-z0-9]{9,}", text)]
    return [word for word in words if word.endswith("x7Q2") or len(word) > 26]


def test_secrets_of_many_kinds_are_nowhere(
    agent: Agent, workshop: Workshop, tmp_path: Path, secrets: dict[str, str], token: str
) -> None:
    """The agent's thinking is not stored either, unless that is switched on."""
    workshop.commit(".gitignore", "private/\n")
    (workshop.path / "private").mkdir()
    for name, text in secrets.items():
        (workshop.path / "private" / name).write_text(text)
    names = sorted(secrets)
    run = agent.run(
        [
            *(turn(Shell(f"cat private/{name}")) for name in names),
            turn(
                Write("ponds.txt", "two\n"), say=f"Now I have seen {secrets['database.txt']}", think=THOUGHT
            ),
            turn(Shell("git add ponds.txt && git commit -m Ponds")),
            turn(say=SAID),
        ],
        prompt=f"Deploy with {token}",
        folder=workshop.path,
    )
    hidden = [*values(secrets), token]
    assert len(hidden) >= 11
    assert all(value in run.log.read_text() for value in hidden)
    workshop.settle(run)

    trajectory = workshop.only()
    assert calls(facts(events(trajectory))) == calls(run.facts())
    assert trajectory["redactions"] >= 1
    assert (trajectory["thinking"], trajectory["part"]["counts"]["thinking"]) == ("dropped", 1)
    shown = workshop.traj("show", "--events") + workshop.traj("show", "--json") + workshop.traj("log")
    report = crash(workshop, tmp_path)
    stored = workshop.stored()
    assert SAID.encode() in stored
    for value in (*hidden, THOUGHT):
        assert value.encode() not in stored
        assert value not in shown + report
    assert workshop.traj("redact", "--audit") == ""


def crash(workshop: Workshop, folder: Path) -> str:
    """Crash with all secrets of ``private`` in local variables; return the bug report and all output."""
    code = """if True:
        import pathlib, sys, gittraj.cli.common.group as group, gittraj.cli.show as show
        def fall(*_, **__):
            text = "".join(path.read_text() for path in pathlib.Path("private").iterdir())
            raise ValueError(text)
        show.find_target = fall
        sys.exit(group.call(["show"]))
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=workshop.path,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    (report,) = folder.glob("git-traj-*.txt")
    return done.stdout + done.stderr + report.read_text()


def test_a_secret_that_becomes_known_after_it_was_stored_is_removed(
    agent: Agent, workshop: Workshop, token: str
) -> None:
    """At the first commit the secret is a plain word, at the second a password: nothing to push has it."""
    late = "Heron" + token[-14:]
    first = agent.run(
        [
            turn(Write("a.txt", "one\n"), say=f"The word is {late} and I go on."),
            turn(Shell("git add a.txt && git commit -m First")),
            turn(say=SAID),
        ],
        folder=workshop.path,
    )
    workshop.settle(first)
    assert late in json.dumps(workshop.show("HEAD"))

    second = agent.run(
        [
            turn(Shell(f"echo 'password: \"{late}\"'")),
            turn(Write("b.txt", "two\n")),
            turn(Shell("git add b.txt && git commit -m Second")),
            turn(say=SAID),
        ],
        folder=workshop.path,
        resume=first,
    )
    workshop.settle(second)

    assert late not in json.dumps(workshop.show("HEAD~1")) + json.dumps(workshop.show("HEAD"))
    objects = workshop.git("rev-list", "--objects", "--all", "--reflog", "--no-object-names")
    assert (
        late.encode()
        not in subprocess.run(
            ["git", "cat-file", "--batch"],
            cwd=workshop.path,
            input=objects.encode(),
            capture_output=True,
            check=True,
        ).stdout
    )
    assert workshop.traj("redact", "--audit") == ""


@pytest.mark.parametrize("mixed", some([True, False], 1))
def test_two_repositories_of_one_session_get_only_their_own_text(
    agent: Agent, tmp_path: Path, mixed: bool
) -> None:
    """Neither repository gets the text of the other's files, or the other's calls."""
    pond, river = Workshop.create(tmp_path / "pond"), Workshop.create(tmp_path / "river")
    for workshop in (pond, river):
        workshop.traj("install")
    pond_turns = [
        turn(Write("pond/a.txt", "heron\n")),
        turn(Shell("cat pond/a.txt; (cd pond && git add . && git commit -m Pond)")),
    ]
    river_turns = [
        turn(Write("river/b.txt", "kingfisher\n")),
        turn(Shell("cat river/b.txt; git -C river add . && git -C river commit -m River")),
    ]
    one_by_one = [*pond_turns, *river_turns]
    turns = [one_by_one[i] for i in (0, 2, 1, 3)] if mixed else one_by_one
    run = agent.run([*turns, turn(say=SAID)], folder=tmp_path)
    pond.settle(run)
    river.settle()

    for workshop, path, foreign in ((pond, "a.txt", b"kingfisher"), (river, "b.txt", b"heron")):
        (commit,) = workshop.log("--file", path)
        (header,) = commit["trajectories"]
        assert (header["session"], header["link"]["evidence"]) == (run.session, "agent")
        assert {file["path"] for file in header["filesChanged"]} <= {path}
        assert foreign not in workshop.stored()
    if not mixed:
        assert calls(facts(events(pond.only()))) == calls(run.facts(0, 2))
        assert calls(facts(events(river.only()))) == calls(run.facts(2, 4))


def test_a_commit_made_while_off_is_not_stored(agent: Agent, workshop: Workshop) -> None:
    """Nothing is stored for the commit, then or later; the next record has only the work after it."""
    run = agent.run(
        [
            turn(Write("quiet.txt", "hush\n"), say="This one is between us."),
            turn(Shell("git add . && GIT_TRAJ=0 git commit -m Quiet")),
            turn(Write("loud.txt", "hey\n"), say="This one is for all."),
            turn(Shell("git add . && git commit -m Loud")),
            turn(say=SAID),
        ],
        folder=workshop.path,
    )
    workshop.settle(run)

    assert workshop.show("HEAD~1") == []
    assert [commit["subject"] for commit in workshop.log("--all")] == ["Loud"]
    assert facts(events(workshop.only())) == run.facts(2)
    assert b"This one is for all." in workshop.stored()
    assert b"This one is between us." not in workshop.stored()


def test_nothing_of_a_pause_is_stored(agent: Agent, workshop: Workshop) -> None:
    workshop.traj("pause")
    paused = agent.run(plan(path="quiet.txt"), prompt="Work unseen", folder=workshop.path)
    workshop.settle(paused)
    workshop.traj("resume")
    seen = agent.run(plan(path="loud.txt"), prompt="Work as always", folder=workshop.path)
    workshop.settle(seen)

    assert workshop.show("HEAD~1") == []
    assert workshop.only()["session"] == seen.session
    assert facts(events(workshop.only())) == seen.facts()
    assert b"Work unseen" not in workshop.stored()


def calls(facts: list[Fact]) -> list[Fact]:
    """Return only the tool calls and their results."""
    return [fact for fact in facts if fact[0].startswith("tool")]


def test_a_gitleaks_rule_of_the_team_redacts(agent: Agent, workshop: Workshop) -> None:
    pytest.importorskip("re2")
    rule = "[[rules]]\nid = 'badge'\nregex = 'badge ([a-z]{4}-[0-9]{4})'\n"
    workshop.commit(".gitleaks.toml", rule)
    workshop.commit(".gittraj.yml", "redact: {gitleaks: [.gitleaks.toml]}\n")
    turns = [turn(Shell("echo badge wxyz-4711; echo x > x.txt; git add x.txt && git commit -m x"))]
    run = agent.run([*turns, turn(say=SAID)], folder=workshop.path)
    workshop.settle(run)
    shown = workshop.traj("show", "--events")
    assert "wxyz-4711" in run.log.read_text() and "wxyz-4711" not in shown
    assert "badge REDACTED-secret-n" in shown
