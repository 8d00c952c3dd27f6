"""``git traj redact``: a filter that works anywhere, and an audit of what is stored."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gittraj import limits
from gittraj.config import Config, Environ, read_config
from gittraj.model.codec import decode_note
from gittraj.model.values import (
    AnyEvent,
    Chapter,
    Link,
    Message,
    Origin,
    Prompt,
    Range,
    Record,
    SessionInfo,
    ToolCall,
    Trajectory,
)
from gittraj.notes.merge import standing
from gittraj.notes.store import NotesRef
from gittraj.notes.unstamped import unstamped
from gittraj.record.draft import Draft, Target
from gittraj.record.drain.composition import make_pipeline
from gittraj.record.pipeline import Pipeline
from gittraj.redact import RULESET, Redactor
from gittraj.state.folder import LocalState
from gittraj.sync.rescan import restamp
from tests.integration.command import Said, traj
from tests.integration.repository import Git
from tests.integration.story import Story, record

TOKEN = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"
PASSWORD = "Tr0ub4" + "dor-and-3"


def run(folder: Path, *arguments: str, given: str | bytes = "", env: Mapping[str, str] | None = None) -> Said:
    return traj(folder, "redact", *arguments, given=given, env=env)


# ---------------------------------------------------------------- the filter


def test_rules_of_the_team_are_used_and_ignored_ones_are_reported(git: Git) -> None:
    pytest.importorskip("re2")
    rules = "[[rules]]\nid = 'badge'\nregex = 'badge ([a-z]{4})'\n[[rules]]\nid = 'look'\nregex = '(?=x)'\n"
    git.write(
        {
            ".gitleaks.toml": f"{rules}[[allowlists]]\nstopwords = ['d']\n",
            ".gittraj.yml": "redact: {gitleaks: [.gitleaks.toml]}\n",
        }
    )
    done = run(git.root, given="my badge abcd\n")
    assert done.stdout == "my badge REDACTED-secret-n1\n"
    assert "'look' has a pattern that RE2 refuses" in done.stderr
    pin = done.stderr.split("gitleaksTrust ")[1].split()[0]
    assert "(in .gitleaks.toml)" in run(git.root, "--rules").stdout.splitlines()[-1]
    for command, title in (("status", "Rule file "), ("doctor", "note: rule file ")):
        assert f"{title}.gitleaks.toml: rules that do not run: 'look'" in traj(git.root, command).stdout
    git("config", "traj.redact.gitleaksTrust", pin)
    assert run(git.root, given="my badge abcd\n").stdout == "my badge abcd\n"
    assert run(git.root, given="my badge xyzw\n").stdout != "my badge xyzw\n"


def test_the_filter_works_outside_of_any_repository(tmp_path: Path) -> None:
    done = run(tmp_path, given=f"the token {TOKEN}, it\nis here\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("the token REDACTED-")
    assert done.stdout.endswith(", it\nis here\n")
    assert list(tmp_path.iterdir()) == []


def test_every_run_has_its_own_key(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(TOKEN)
    one, other = run(tmp_path, "file").stdout, run(tmp_path, "-", given=TOKEN).stdout
    assert one.startswith("REDACTED-")
    assert one != other


def test_in_a_repository_its_own_key_and_its_env_file_are_used(git: Git) -> None:
    with git.open() as repository:
        LocalState.of(repository).create()
    (git.root / ".env").write_text(f"DB_PASSWORD={PASSWORD}\n")
    one, other = (run(git.root, given=f"it was {PASSWORD} all along, {TOKEN}\n").stdout for _ in range(2))
    assert one == other
    assert PASSWORD not in one


def test_a_repository_without_git_traj_gets_no_folder(git: Git) -> None:
    assert "REDACTED" in run(git.root, given=TOKEN).stdout
    assert not (git.root / ".git" / "traj").exists()


def test_secrets_of_the_environment_are_redacted(tmp_path: Path) -> None:
    assert PASSWORD not in run(tmp_path, given=f"it was {PASSWORD}\n", env={"DB_PASSWORD": PASSWORD}).stdout


def test_json_shows_positions_and_no_secret(tmp_path: Path) -> None:
    done = run(tmp_path, "--json", given=f"one\n  {TOKEN}\n")
    report = json.loads(done.stdout)
    assert TOKEN not in done.stdout
    assert report["redactions"] == [
        {
            "rule": report["redactions"][0]["rule"],
            "kind": "github-token",
            "line": 2,
            "column": 3,
            "length": 40,
        }
    ]
    assert report["text"].startswith("one\n  REDACTED-github-token-")
    assert (report["version"], report["ruleset"]) == (1, RULESET)


def test_json_lines_come_out_in_their_order(tmp_path: Path) -> None:
    lines = [{"n": 1, "text": TOKEN}, {"n": 2, "text": "fine"}, {TOKEN: 3}, [4, {"password": PASSWORD}]]
    done = run(tmp_path, "--jsonl", given="".join(json.dumps(line) + "\n" for line in lines))
    assert done.returncode == 0
    first, second, third, fourth = (json.loads(line) for line in done.stdout.splitlines())
    assert (first["n"], second, list(third.values()), fourth[0]) == (1, lines[1], [3], 4)
    assert TOKEN not in done.stdout
    assert PASSWORD not in done.stdout


def test_a_line_that_cannot_be_scanned_is_left_out_and_the_others_are_printed(tmp_path: Path) -> None:
    deep = "[" * 50_000 + json.dumps(TOKEN) + "]" * 50_000
    done = run(tmp_path, "--jsonl", given=f'{deep}\n"fine"\n')
    assert done.returncode == 1
    assert [json.loads(line) for line in done.stdout.splitlines()] == ["REDACTED-unscannable-line", "fine"]
    assert "line 1" in done.stderr
    assert TOKEN not in done.stderr


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16"])
def test_other_bytes_are_printed_unchanged(tmp_path: Path, encoding: str) -> None:
    said = f"caf\xe9 {TOKEN}\r\ncaf\xe9\r\n".encode(encoding)
    (tmp_path / "file").write_bytes(said)
    done = subprocess.run(
        [sys.executable, "-m", "gittraj", "redact", "file"], cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout[:5] == said[:5]
    assert done.stdout.decode(encoding).split(" ")[1].startswith("REDACTED-")
    assert done.stdout.decode(encoding).endswith("\r\ncaf\xe9\r\n")


def test_input_that_is_not_text_is_refused(tmp_path: Path) -> None:
    done = run(tmp_path, given=b"\x7fELF\x00" + TOKEN.encode())
    assert (done.returncode, done.stdout) == (1, "")
    assert "not text" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--jsonl", "--json"), 2),
        (("--audit", "--test"), 2),
        (("nowhere",), 1),
        (("--audit",), 1),
    ],
)
def test_invalid_arguments_are_refused(tmp_path: Path, arguments: tuple[str, ...], status: int) -> None:
    done = run(tmp_path, *arguments, given=TOKEN)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("error: ")


def test_findings_are_explained_without_the_secret(tmp_path: Path) -> None:
    done = run(tmp_path, "--explain", given=f"first\nthe token {TOKEN} is here\n")
    assert done.stdout == f"2:11: github-token (github-token), {len(TOKEN)} characters\n"
    assert run(tmp_path, "--explain", given="nothing\n").stdout == "Nothing was found.\n"


def test_the_rules_are_listed(tmp_path: Path) -> None:
    listed = json.loads(run(tmp_path, "--rules", "--json").stdout)["rules"]
    assert all(rule["rule"] and rule["kind"] and rule["good"] for rule in listed)
    lines = run(tmp_path, "--rules").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [rule["rule"] for rule in listed]


def test_the_rules_can_test_themselves(tmp_path: Path) -> None:
    report = json.loads(run(tmp_path, "--test", "--json").stdout)
    assert report["examples"] > 100
    assert run(tmp_path, "--test").stdout.endswith(f"{len(report['failed'])} failed\n")


# ---------------------------------------------------------------- what is stored


class Blind(Redactor):
    """A redactor of an older version, which finds nothing."""

    def text(self, text: str, *, name: str | None = None, strict: bool = False) -> str:
        return text


def store(git: Git, commit: str, *events: AnyEvent, name: str = "traj_a", at: int = 0) -> None:
    with git.open() as repository:
        LocalState.of(repository).create()
        old_pipeline = Pipeline(
            repository=repository,
            config=Config(thinking="clear"),
            redactor=lambda: Blind(key=b"k" * 32),
            ruleset="0",
        )
        span = Range(first=events[0].id, last=events[-1].id, n=len(events), at=at)
        trajectory = Trajectory(
            id=name,
            whole=SessionInfo(title="T", agent="codex", session="s"),
            chapters=(Chapter(id="c", title="x", events=events),),
            span=span,
        )
        target = Target(commit=commit, link=Link(evidence="agent"))
        old_pipeline.write(
            [Draft(trajectory=trajectory, positions=tuple(range(at, at + len(events))), targets=(target,))]
        )


def records(git: Git, commit: str) -> list[Record]:
    with git.open() as repository:
        return standing(commit, decode_note(NotesRef(repository).read(commit) or b""))


def test_an_audit_shows_positions_and_never_a_secret(git: Git) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    store(git, one, Prompt(id="1.0", content=f"Use {TOKEN}"), Message(id="2.0", content="fine"))
    store(git, two, ToolCall(id="3.0", name="x", arguments={"password": PASSWORD}), name="traj_b")

    done = run(git.root, "--audit", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert TOKEN not in done.stdout + done.stderr
    assert PASSWORD not in done.stdout + done.stderr
    found = {(f["commit"], f["trajectory"], f["event"]) for f in report["findings"]}
    assert found == {(one, "traj_a", "1.0"), (one, "traj_a", None), (two, "traj_b", "3.0")}
    assert (report["records"], report["absent"]) == (2, 0)

    assert json.loads(run(git.root, "--audit", "--json", f"{one}..{two}").stdout)["records"] == 1
    plain = run(git.root, "--audit")
    assert (plain.returncode, len(plain.stdout.splitlines())) == (1, len(report["findings"]))
    assert run(git.root, "--audit", "nowhere").returncode == 1


def test_an_audit_that_finds_nothing(git: Git) -> None:
    store(git, git.commit({"a": "1"}), Message(id="1.0", content="fine"))
    done = run(git.root, "--audit")
    assert (done.returncode, done.stdout) == (0, "")
    assert "0 findings in 1 record " in done.stderr


def test_a_note_that_is_too_large_is_neither_clean_nor_valid(git: Git) -> None:
    """It was not read, so nothing is known about it."""
    large = git.commit({"a": "1"})
    blob = git("hash-object", "-w", "--stdin", input="x" * (limits.NOTE + 1))
    git("notes", "--ref=traj", "add", "-C", blob, large)
    done = run(git.root, "--audit")
    assert done.returncode == 1
    assert f"not read, being too large: the note of {large[:12]}" in done.stderr
    assert json.loads(run(git.root, "--audit", "--json").stdout)["tooLarge"] == [large]
    checked = traj(git.root, "validate", "refs/notes/traj", "--json")
    assert (checked.returncode, large[:12] in checked.stdout) == (1, True)


def test_records_of_older_rules_are_counted_scanned_and_stamped(git: Git) -> None:
    one, two = git.commit({"a": "1"}), git.commit({"a": "2"})
    store(git, one, Prompt(id="1.0", content=f"Use {TOKEN}"))
    store(git, two, Message(id="2.0", content="fine"), at=1)
    assert status(git)["unstamped"] == 2

    with git.open() as repository:
        pipeline = make_pipeline(repository, read_config(repository), Environ(home=None), live={})
        found = list(unstamped(repository, pipeline.ruleset))
        assert {commit: record.figures.ruleset for commit, record in found} == {one: "0", two: "0"}
        restamp(repository, pipeline)
        assert list(unstamped(repository, pipeline.ruleset)) == []
    [first], [second] = records(git, one), records(git, two)
    assert (first.rev, first.figures.ruleset, second.rev) == (2, RULESET, 2)
    assert TOKEN not in json.dumps(first.figures.prompt)
    assert status(git)["unstamped"] == 0
    assert run(git.root, "--audit").returncode == 0
    assert b"missing" not in git.raw("fsck", "--full")


@pytest.mark.nightly
def test_many_trajectories_on_a_commit_are_scanned_again_in_proportion(git: Git) -> None:
    few, many = (_scan_again(git, count) for count in (40, 160))
    assert many < 8 * few, "each trajectory seems to read the whole note"


def _scan_again(git: Git, count: int) -> float:
    """Return the seconds that scanning ``count`` trajectories on one commit takes."""
    commit = git.commit({"a": str(count)})
    with git.open() as repository:
        LocalState.of(repository).create()
        story = Story(repository)
        names = [f"traj_{count}x{number}" for number in range(count)]
        refs = {name: story.segment(name, 0, [Message(id="e0", content=name)]) for name in names}
        old = [record(name, segments=[ref], ruleset="0") for name, ref in refs.items()]
        story.note(commit, *(replace(each, origin=Origin(commit=commit)) for each in old))
        pipeline = make_pipeline(repository, read_config(repository), Environ(home=None), live={})
        began = time.process_time()
        restamp(repository, pipeline, commits=[commit])
        took = time.process_time() - began
        assert list(unstamped(repository, pipeline.ruleset)) == []
    return took


def test_records_are_scanned_again_before_a_push(git: Git, tmp_path: Path) -> None:
    server = Git.init(tmp_path / "server", "--bare")
    git("remote", "add", "origin", str(server.root))
    git("config", "traj.push", "auto")
    store(git, git.commit({"a": "1"}), Prompt(id="1.0", content=f"Use {TOKEN}"))
    push(git, "--dry-run")
    assert status(git)["unstamped"] == 1, "a dry run writes nothing"
    push(git)
    assert status(git)["unstamped"] == 0
    pushed = server("cat-file", "--batch", "--batch-all-objects")
    assert TOKEN not in pushed
    assert f'"ruleset":"{RULESET}"' in pushed
    tip = git("rev-parse", "refs/notes/traj")
    push(git)
    assert git("rev-parse", "refs/notes/traj") == tip


def test_a_record_that_cannot_be_scanned_again_is_not_pushed(git: Git, tmp_path: Path) -> None:
    server = Git.init(tmp_path / "server", "--bare")
    git("remote", "add", "origin", str(server.root))
    git("config", "traj.push", "auto")
    store(git, git.commit({"a": "1"}), Prompt(id="1.0", content="fine"))
    for ref in git("for-each-ref", "--format=%(refname)", "refs/notes/traj-data-*").split():
        git("update-ref", "-d", ref)
    done = traj(git.root, "push")
    assert done.returncode == 1
    assert "redacted by older rules, and the events are not here: traj_a" in done.stderr
    assert server("for-each-ref") == ""


def push(git: Git, *arguments: str) -> None:
    assert traj(git.root, "push", *arguments).returncode == 0


def test_pushed_records_are_not_counted(git: Git, tmp_path: Path) -> None:
    Git.init(tmp_path / "server", "--bare")
    git("remote", "add", "origin", str(tmp_path / "server"))
    git("config", "--add", "remote.origin.fetch", "+refs/notes/traj*:refs/notes-remote/origin/traj*")
    store(git, git.commit({"a": "1"}), Message(id="1.0", content="fine"))
    assert status(git)["unstamped"] == 1
    git("push", "-q", "origin", "refs/notes/*:refs/notes/*")
    git("fetch", "-q", "origin")
    assert status(git)["unstamped"] == 0


def status(git: Git) -> dict[str, Any]:
    done = traj(git.root, "status", "--json")
    report: dict[str, Any] = json.loads(done.stdout)
    return report
