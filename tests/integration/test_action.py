"""The Action's own steps, run as on a runner, against a GitHub on loopback and a real git server."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from gittraj.model.values import Decision, FileChanged, SessionInfo
from tests.github.faults import Fault, message
from tests.github.host import NOTES, Host, a_host
from tests.github.server import TOKEN
from tests.integration.repository import Git
from tests.integration.story import Story, record
from tests.sizes import NIGHTLY

SECRET = "ghp_" + "x7Qd2Lw9Rk4Vn8Tz1Bm6Hs3Yc5Jf0Gp2AeUi"


def test_the_comment_is_created_left_unchanged_and_updated(host: Host) -> None:
    host.over_http().runner.process = True
    chosen = Decision(
        chosen="a bucket", by="agent", alternatives=("a window",), reasoning="bursts", confidence=0.5
    )
    host.note(host.commits[0], decisions=(chosen,), files=(FileChanged(path="src/a.py", edits=1),))
    host.push(NOTES)
    first = host.run()
    assert (first.status, first.outputs["result"]) == (0, "created")
    assert host.comment.startswith(f"<!-- git-traj:pr:v1 key=default head={host.pull.head} run=101 of=")
    assert "**1 of 2 commits** have an agent trajectory · Claude Code" in host.comment
    assert "| a bucket <sub>50% sure</sub> | a window | bursts |" in host.comment
    found = first.outputs
    assert (found["commits-total"], found["commits-with-trajectory"], found["coverage"]) == ("2", "1", "50")
    assert (found["low-confidence"], found["unsure"], found["cost"]) == ("1", "1", "unknown")
    assert json.loads(Path(found["json-path"]).read_text())["head"] == host.pull.head
    assert "a bucket" in first.summary
    assert "bucket" not in first.log

    host.runner.process = NIGHTLY
    assert host.run().outputs["result"] == "unchanged"
    host.note(host.commits[1], "traj_two")
    host.push(NOTES)
    assert host.run().outputs["result"] == "updated"
    assert "**2 of 2 commits**" in host.comment


def test_without_records_it_does_not_comment(host: Host) -> None:
    done = host.run()
    assert (done.status, done.outputs["result"], host.github.comments) == (0, "summary-only", {})
    assert "the repository has no records" in done.summary
    assert host.run(when_missing="comment").outputs["result"] == "created"
    assert "No agent trajectory" in host.comment
    host.recorded()
    assert host.run(comment="off").outputs["result"] == "summary-only"
    assert "No agent trajectory" in host.comment, "the old comment is not changed either"


def test_an_existing_comment_is_updated_even_if_there_are_no_records_now(host: Host) -> None:
    host.recorded()
    host.run()
    host.bare("update-ref", "-d", NOTES)
    assert host.run().outputs["result"] == "updated"
    assert "the repository has no records" in host.comment


def test_a_run_for_an_old_head_writes_nothing(host: Host) -> None:
    host.recorded()
    stale = host.event()
    host.clone.commit({"src/c.py": "1\n"}, "And on")
    host.push()
    host.run()
    comment = host.comment
    done = host.start("pull_request", stale)
    assert (done.status, done.outputs["result"], done.summary) == (0, "superseded", "")
    assert host.comment == comment


def test_a_run_that_a_push_overtakes_writes_nothing(host: Host) -> None:
    host.recorded()
    newer = Fault("POST /graphql", message(502), then=lambda: setattr(host.pull, "head", "c" * 40))
    host.github.faults.append(newer)
    done = host.run()
    assert (done.status, done.outputs["result"], host.github.comments) == (0, "superseded", {})


def test_the_comment_names_a_push_that_replaced_commits(host: Host) -> None:
    host.recorded()
    assert host.run(before=host.commits[0]).status == 0
    assert "WARNING" not in host.comment
    gone = host.clone.head()
    host.clone("commit", "-q", "--amend", "-m", "Better words")
    host.push()
    assert host.run(before=gone).outputs["result"] == "updated"
    assert f"after a push that replaced `{gone[:7]}`" in host.comment
    assert "the records of what" not in host.comment


def test_two_keys_are_two_comments(host: Host) -> None:
    host.recorded()
    host.run()
    host.run(key="second")
    assert len(host.github.bodies()) == 2


def test_the_gate_fails_below_the_coverage_unless_a_label_allows_it(host: Host) -> None:
    host.recorded()
    assert host.run(require="warn").status == 0
    done = host.run(require="fail", min_coverage="60")
    assert done.status == 1
    assert "50 %25 of the commits have a trajectory; 60 %25 is required" in done.log
    assert host.run(require="fail", min_coverage="50").status == 0
    host.pull.labels.append("no-agent")
    done = host.run(require="fail", bypass_label="no-agent")
    assert (done.status, "allowed by the label" in done.log) == (0, True)


def test_the_gate_alone_comments_nothing(host: Host) -> None:
    host.recorded()
    host.github.grants.clear()
    done = host.run(mode="check", require="fail", min_coverage="50")
    assert (done.status, done.outputs["result"], done.outputs["coverage"]) == (0, "summary-only", "50")
    assert host.run(mode="check", require="fail").status == 1
    assert not [call for call in host.github.calls if call.startswith("POST /repos")]


def test_a_gate_that_cannot_decide_fails(host: Host) -> None:
    host.recorded()
    host.bare.root.rename(host.bare.root.with_name("elsewhere"))
    done = host.run()
    assert (done.status, "::warning" in done.log) == (0, True)
    done = host.run(require="fail")
    assert (done.status, "::error title=git-traj::git cannot read" in done.log) == (1, True)


def test_an_invalid_input_fails_the_job_only_on_request(host: Host) -> None:
    done = host.run(min_coverage="200")
    assert (done.status, done.log.count("::warning")) == (0, 1)
    done = host.run(min_coverage="200", fail_on_error="true")
    assert (done.status, done.log.count("::error")) == (1, 1)


def test_a_hostile_record_is_escaped_and_a_secret_removed(host: Host) -> None:
    evil = f"@octocat <img src=x> ::error::owned ##[error]x {SECRET}"
    host.note(
        host.commits[0],
        decisions=(Decision(chosen=evil, by=evil),),
        whole=SessionInfo(title=evil, agent=evil),
    )
    host.push(NOTES)
    done = host.run()
    assert done.status == 0
    shown = (host.comment + done.summary + done.log).replace("\\", "")
    assert SECRET not in shown
    assert SECRET not in Path(done.outputs["json-path"]).read_text()
    assert "a secret was removed from the comment" in done.log
    assert "owned" not in done.log
    assert "<img" not in host.comment


def test_events_other_than_a_pull_request(host: Host) -> None:
    done = host.start("issues", {"action": "opened"})
    assert (done.status, done.outputs["result"], done.log.count("::notice")) == (0, "skipped", 1)
    host.recorded()
    assert host.start("workflow_dispatch", {}, pr="7").outputs["result"] == "created"
    run = {
        "event": "pull_request",
        "head_sha": host.pull.head,
        "head_branch": "topic",
        "head_repository": {"full_name": "acme/app"},
    }
    assert host.start("workflow_run", {"workflow_run": run}).outputs["result"] == "unchanged"
    done = host.start("workflow_run", {"workflow_run": {**run, "head_sha": "d" * 40}})
    assert (done.outputs["result"], "no open pull request" in done.log) == ("skipped", True)


def test_a_token_of_its_own_is_hidden_by_the_runner(host: Host) -> None:
    done = host.run(token="another-token", fail_on_error="true")
    assert done.log.startswith("::add-mask::another-token\n")
    assert done.log.count("another-token") == 1
    assert (done.status, "(401)" in done.log) == (1, True)


def test_the_token_is_in_no_command_and_no_file(host: Host, tmp_path: Path) -> None:
    """No git command line or environment shows the token: git's configuration puts it into a header."""
    host.over_http().runner.process = True
    host.recorded()
    git, log = shutil.which("git"), tmp_path / "log"
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(
        f'#!/bin/sh\n{{ echo "$@"; env | grep -v ^GIT_CONFIG_VALUE_0=; }} >>"{log}"\nexec {git} "$@"\n'
    )
    spy.chmod(0o755)
    host.runner.extra["PATH"] = f"{spy.parent}:{os.environ['PATH']}"
    host.runner.extra |= dict.fromkeys(("GITHUB_TOKEN", "GITEA_TOKEN", "FORGEJO_TOKEN"), TOKEN)
    assert host.run().outputs["result"] == "created"
    assert "fetch" in log.read_text()
    header = base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode()
    left = [path for path in host.runner.folder.rglob("*") if path.is_file()]
    for path in (log, *left):
        assert TOKEN not in path.read_text(errors="replace"), path
        assert header not in path.read_text(errors="replace"), path


def test_an_enterprise_server(git: Git, tmp_path: Path) -> None:
    with a_host(git, tmp_path, prefix="/api/v3") as host:
        host.over_http()
        host.recorded()
        assert host.run().outputs["result"] == "created"
        assert f"]({host.server.url}/acme/app/pull/7/commits/{host.commits[1]})" in host.comment
        assert "github.com" not in host.comment
        assert "POST /api/graphql" in host.github.calls


def test_a_comment_deleted_before_it_is_edited_is_created_again(host: Host) -> None:
    host.recorded()
    host.run()
    (there,) = host.github.comments
    gone = Fault("PATCH", message(404, "Not Found"), then=lambda: host.github.comments.pop(there))
    host.github.faults.append(gone)
    host.note(host.commits[1], "traj_two")
    host.push(NOTES)
    assert host.run().outputs["result"] == "created"
    assert "**2 of 2 commits**" in host.comment


def test_a_commit_without_a_record_is_listed_with_its_files(host: Host) -> None:
    host.recorded()
    host.run()
    assert "| ✍️ | [`src/b.py`](" in host.comment
    assert "| Go on | — | Changes `src/b.py` |\n" in host.comment
    rows = [line for line in host.comment.splitlines() if line.startswith("| [`src/b.py`](")]
    assert len(rows) == 1
    assert f"| [`{host.commits[1][:7]}`](" in rows[0]
    host.github.faults.append(Fault("GET .*/commits/", message(404, "Not Found")))
    host.run()
    assert "Changes `src/b.py`" not in host.comment
    assert "What 1 commit changed was not looked up." in host.comment


def test_a_merge_needs_no_record(host: Host) -> None:
    host.clone("checkout", "-q", "-b", "side", "main")
    host.clone.commit({"side": "1\n"}, "Aside")
    host.clone("checkout", "-q", "topic")
    host.clone("merge", "-q", "--no-ff", "--no-edit", "side")
    host.push()
    host.recorded()
    done = host.run()
    assert (done.outputs["commits-total"], done.outputs["commits-with-trajectory"]) == ("3", "1")
    assert "| merge |" in host.comment


def test_foreign_and_damaged_lines_make_the_coverage_unknown(host: Host) -> None:
    host.recorded()
    odd = '{"v": 99, "id": "traj_x"}\nplain words\n{"v": 1, "id": \n' + "x" * 1_000_000
    host.clone("notes", "--ref", NOTES, "add", "-F", "-", host.commits[1], input=odd)
    host.push(NOTES)
    done = host.run()
    assert (done.status, done.outputs["result"], done.outputs["coverage"]) == (0, "created", "unknown")


def test_another_notes_ref(host: Host) -> None:
    host.note(host.commits[0])
    host.push(f"{NOTES}:refs/notes/elsewhere")
    assert "`refs/notes/traj` is not there" in host.run().summary
    assert host.run(notes_ref="refs/notes/elsewhere").outputs["result"] == "created"


def test_a_request_without_commits_and_one_that_is_closed(host: Host) -> None:
    host.recorded()
    host.pull.state = "closed"
    assert host.run().outputs["result"] == "created"
    host.clone("reset", "-q", "--hard", "main")
    host.push()
    done = host.run()
    assert (done.outputs["commits-total"], done.outputs["coverage"]) == ("0", "100")


def extend(host: Host, number: int) -> None:
    """Make the branch again, with ``number`` commits, each with a record."""
    base = host.clone("rev-parse", "main")
    stream = [f"reset refs/heads/many\nfrom {base}\n"]
    for n in range(number):
        words, text = f"Step {n}", f"{n}\n"
        stream.append(
            f"commit refs/heads/many\nmark :{n + 1}\ncommitter A <a@example.com> {1_750_000_000 + n} +0000\n"
            f"data {len(words)}\n{words}\nM 644 inline src/{n}.py\ndata {len(text)}\n{text}\n"
        )
    host.clone("fast-import", "--quiet", input="".join(stream))
    host.clone("reset", "-q", "--hard", "many")
    host.push()
    with host.clone.open() as repository:
        whole = SessionInfo(title="Many steps", agent="codex", session="s")
        Story(repository).notes(
            {c: record("traj_one", at=n, whole=whole) for n, c in enumerate(host.commits)}
        )


def test_50_commits_need_few_requests(host: Host) -> None:
    host.over_http()
    extend(host, 50)
    host.push(NOTES)
    done = host.run()
    assert (done.outputs["result"], done.outputs["commits-with-trajectory"]) == ("created", "50")
    assert host.comment.count("| Step ") == 50
    fetches = [name for name, _ in host.asked]
    assert len(fetches) < 20, (
        "there is about one request for each level of the notes tree, not for each commit"
    )


@pytest.mark.nightly
def test_260_commits_and_3001_files_fit_into_the_comment(host: Host) -> None:
    extend(host, 260)
    host.push(NOTES)
    host.pull.files = [f"src/{n}.py" for n in range(3001)]
    first = host.commits[0]
    done = host.run(before=host.commits[255], require="fail", min_coverage="100")
    assert (done.status, done.outputs["commits-total"], done.outputs["coverage"]) == (0, "260", "100")
    assert "WARNING" not in host.comment, (
        "a former head beyond the first 250 commits does not count as replaced"
    )
    assert "1 file more is not listed by the host" in host.comment
    assert len(host.comment) < 65_536
    assert "Shortened to fit: " in host.comment
    assert f"/commits/{first})" in done.summary


def test_a_caveat_is_annotated_at_its_line(host: Host) -> None:
    """Runs for other events annotate nothing: nobody would see it on the page of such a run."""
    there = Decision(chosen="a bucket", by="agent", confidence=0.5, path="src/a.py", line=1)
    elsewhere = Decision(chosen="a pool", by="agent", confidence=0.4, path="src/a.py", line=7)
    host.note(host.commits[0], decisions=(there, elsewhere))
    host.push(NOTES)
    done = host.run()
    notice = "::notice file=src/a.py,line=1,title=Claude Code was unsure (50 %25)::a bucket"
    assert notice in done.log.splitlines()
    assert "a pool" not in done.log
    assert "#diff-" in host.comment
    assert re.search(r"\[`src/a\.py:1`\]\(\S+R1\) Claude Code was unsure", host.comment)
    assert "a bucket" not in host.run(annotations="false").log
    assert "a bucket" not in host.start("workflow_dispatch", {}, pr="7").log


def test_labels_mark_unsure_decisions_and_missing_records(host: Host) -> None:
    host.pull.labels = ["bug"]
    assert host.run().status == 0
    assert host.pull.labels == ["bug"], "labels are set only on request"
    doubt = Decision(chosen="a bucket", by="agent", confidence=0.5)
    host.note(host.commits[0], decisions=(doubt,))
    host.push(NOTES)
    host.run(labels="true")
    assert host.pull.labels == ["bug", "traj:unsure", "traj:unrecorded"]
    host.github.calls.clear()
    host.run(labels="true")
    assert not [call for call in host.github.calls if "labels" in call and not call.startswith("GET")]
    host.bare("update-ref", "-d", NOTES)
    host.clone("update-ref", "-d", NOTES)
    for number, commit in enumerate(host.commits):
        host.note(commit, f"traj_{number}")
    host.push(NOTES)
    host.run(labels="true")
    assert host.pull.labels == ["bug"]


def test_labels_that_the_token_may_not_set_do_not_fail_the_job(host: Host) -> None:
    host.recorded()
    host.github.grants.clear()
    done = host.run(labels="true")
    assert done.status == 0
    assert (
        "the pull request could not be labelled: setting labels: the token lacks the permission (403)"
        in done.log
    )


def test_a_caveat_is_in_a_check_run_if_permitted(host: Host) -> None:
    there = Decision(chosen="a bucket", by="agent", confidence=0.5, path="src/a.py", line=1)
    host.note(host.commits[0], decisions=(there,))
    host.push(NOTES)
    refused = host.run(annotations="check")
    assert refused.status == 0
    assert "::notice file=src/a.py,line=1," in refused.log, "a notice replaces the check run"
    assert host.github.checks == []
    host.github.grants.add("checks")
    assert "::notice" not in host.run(annotations="check").log
    (check,) = host.github.checks
    assert (check["head_sha"], check["conclusion"]) == (host.pull.head, "neutral")
    assert "a bucket" in check["output"]["summary"]
    (row,) = check["output"]["annotations"]
    assert (row["path"], row["start_line"], row["title"]) == (
        "src/a.py",
        1,
        "Claude Code was unsure (50 %)",
    )


def test_a_caveat_is_in_one_review_comment(host: Host) -> None:
    there = Decision(chosen="a bucket for @octocat", by="agent", confidence=0.5, path="src/a.py", line=1)
    host.note(host.commits[0], decisions=(there,))
    host.push(NOTES)
    for _ in range(2):  # the next push does not repeat it
        assert "::notice" not in host.run(annotations="review").log
    (made,) = host.github.reviewed
    assert (made["path"], made["line"], made["side"]) == ("src/a.py", 1, "RIGHT")
    assert made["body"] == "**Claude Code was unsure (50 %)**: a bucket for `@octocat`"
    host.github.grants.clear()
    host.github.reviewed.clear()
    assert "::notice file=src/a.py,line=1," in host.run(annotations="review").log


def test_a_commit_with_an_unreadable_record_is_not_shown_as_one_without(host: Host) -> None:
    """A huge number, and more lines than are read: both are reported in addition to what could be read."""
    clone, (one, two, *_) = host.clone, host.commits
    host.note(one)
    clone("notes", "--ref=traj", "add", "-f", "-m", '{"v":1,"id":"traj_x","rev":' + "9" * 310 + "}", two)
    host.push(NOTES)
    done = host.run()
    (comment,) = host.github.comments.values()
    assert "Not read in full (larger than 1 MB, too many, damaged, or too late)" in comment["body"]
    assert "No trajectory for" not in comment["body"]
    assert done.outputs["coverage"] == "unknown"
    (clone.root / "many").write_text("x\n" * 20_001)
    clone("notes", "--ref=traj", "add", "-f", "-F", "many", one)
    host.push(NOTES)
    done = host.run()
    assert (done.status, done.outputs["coverage"]) == (0, "unknown")
    assert "No agent trajectory is attached" not in done.summary
