"""The Action: an event comes in, a comment stands on the pull request, the job stays green.

What goes wrong on the way is a line in the log and a notice; only a gate that somebody set, or
``fail-on-error``, makes the job red. A gate that cannot tell is shut. No line printed here holds a
trajectory's text, a value or a token, but for the one that has the runner hide a token.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from github_action import facts as facts_of
from github_action import sticky
from github_action.activity import Idle, OnPull, OnPush, OnRun, decide
from github_action.api import Api, connect
from github_action.carrying import carry
from github_action.comments import Thread
from github_action.console import Console
from github_action.facts import Facts
from github_action.fetching import Fetched, Source
from github_action.gate import judge
from github_action.ladder import Published, publish
from github_action.outputs import write_outputs
from github_action.patience import Patience
from github_action.payload import Payload
from github_action.reporting import Told, as_json, make_report, outputs, read_change
from github_action.settings import Settings, read_settings
from gittraj.errors import TrajError
from gittraj.model.words import count
from gittraj.query.change import Change


def main(environ: Mapping[str, str]) -> int:
    """The step's status."""
    console = Console(sys.stdout)
    strict = (
        environ.get("INPUT_FAIL_ON_ERROR", "").lower() == "true" or environ.get("INPUT_REQUIRE") == "fail"
    )
    try:
        settings = read_settings(environ)
        if settings.foreign_token:
            console.mask(settings.token)
        return run(settings, {k: v for k, v in environ.items() if k not in _TOKENS}, console)
    except TrajError as error:
        console.annotate("error" if strict else "warning", error.message)
        if error.hint:
            console.say(error.hint)
    except Exception as error:  # noqa: BLE001 - its text may quote anything
        console.annotate("error" if strict else "warning", f"a bug of git-traj: {type(error).__name__}")
    return int(strict)


_TOKENS = ("INPUT_TOKEN", "DEFAULT_TOKEN")
"""No process that we start has them."""


def run(settings: Settings, environ: Mapping[str, str], console: Console) -> int:
    """Raises TrajError."""
    payload = Payload.read(settings.payload)
    activity = decide(
        settings.event,
        payload,
        repository=settings.repository,
        actor=settings.actor,
        mode=settings.mode,
        pr=settings.pr,
    )
    if isinstance(activity, Idle):
        return _skip(settings, console, activity.why)
    with connect(
        settings.token, repository=activity.repository, url=settings.api, patience=Patience()
    ) as api:
        job = Job(settings=settings, payload=payload, environ=environ, console=console, api=api)
        match activity:
            case OnPush():
                carried = carry(
                    api, activity, job.source(), ref=settings.notes, folder=settings.folder, environ=environ
                )
                console.say(f"records carried to {count(carried.commits, 'commit')}")
                if carried.more:
                    console.annotate("notice", "the push brought more commits than were looked at")
                _write(settings, {"result": "skipped"})
                return 0
            case OnRun():
                numbers = facts_of.find_pulls(
                    api, head=activity.head, branch=activity.branch, repository=activity.head_repository
                )
                if not numbers:
                    return _skip(settings, console, "no open pull request has that head any more")
                pulls: Sequence[OnPull] = [
                    OnPull(repository=activity.repository, number=n, fork=activity.fork, check=activity.check)
                    for n in numbers
                ]
            case OnPull():
                pulls = [activity]
        return max(_report(job, pull) for pull in pulls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What every step of a run needs."""

    settings: Settings
    payload: Payload
    environ: Mapping[str, str]
    console: Console
    api: Api

    def source(self, fork: str | None = None) -> Source:
        """Where records come from: the repository with its token, or a fork (its address) with none. git
        may speak to both as the host does."""
        settings = self.settings
        protocols = (settings.server.partition(":")[0],)
        if fork is not None:
            return Source(url=fork, protocols=protocols)
        url = f"{settings.server}/{settings.repository}.git"
        return Source(url=url, token=settings.token.reveal() or None, protocols=protocols)


def _report(job: Job, pull: OnPull) -> int:
    settings, console = job.settings, job.console
    facts = facts_of.read_facts(job.api, pull.number)
    if pull.head is not None and facts.pull.head != pull.head:
        console.annotate("notice", "the pull request has a newer head: its own run reports on it")
        _write(settings, {"result": "superseded"})
        return 0
    change = _read(job, facts)
    told = make_report(change, settings, number=pull.number)
    for rule in told.leaks:
        console.annotate("warning", f"a secret was taken out of the comment (rule {rule}): rotate it")
    published = _publish(job, pull, told)
    change = told.change
    found = {**outputs(change), **published.outputs(), "json-path": _keep(settings, change, pull.number)}
    _write(settings, found)
    verdict = judge(change, facts.pull.labels, settings)
    if verdict.line:
        console.annotate("error" if verdict.fails else "warning", verdict.line)
    failed = settings.strict and published.trouble is not None and pull.read_only is None
    return int(verdict.fails or failed)


def _read(job: Job, facts: Facts) -> Change:
    """The records of the fork that it comes from; when that is gone or private, the repository's own."""
    pull = facts.pull
    if pull.fork and pull.head_url is not None:
        try:
            return _fetch(job, facts, job.source(fork=pull.head_url))
        except TrajError:
            pass
    change = _fetch(job, facts, job.source())
    if not pull.fork:
        return change
    job.console.annotate("notice", "the fork's records cannot be read: it is gone, or private")
    return replace(change, fork=None, unread=True)


def _fetch(job: Job, facts: Facts, source: Source) -> Change:
    folder = job.settings.folder / f"git-traj-{job.settings.run}-{facts.pull.number}"
    fetched = Fetched(folder, source, environ=job.environ)
    try:
        return read_change(
            facts,
            fetched,
            job.settings,
            before=job.payload.sha("before"),
            files_of=lambda commit: facts_of.read_files(job.api, commit),
        )
    finally:
        fetched.close()
        shutil.rmtree(folder, ignore_errors=True)


def _publish(job: Job, pull: OnPull, told: Told) -> Published:
    change, settings = told.change, job.settings
    marker = sticky.Marker(key=settings.key, head=change.head, run=settings.run)
    silent = not change.recorded and settings.missing == "quiet" and settings.comment == "auto"

    def post(body: str) -> sticky.Settled | None:
        if silent and not _stands(job, pull):
            return None
        return sticky.post(job.api, body, number=pull.number, marker=marker, author=settings.author)

    wanted = settings.comment != "off" and not pull.check
    return publish(
        told.report,
        post=post if wanted else None,
        summary=settings.summary,
        console=job.console,
        expected=pull.read_only,
    )


def _stands(job: Job, pull: OnPull) -> bool:
    """Whether there is a comment of ours already: that is kept up to date, whatever it has to say."""
    author = job.settings.author or job.api.viewer()
    return bool(sticky.own(Thread(job.api, pull.number).comments(), author=author, key=job.settings.key))


def _keep(settings: Settings, change: Change, number: int) -> str:
    path = settings.folder / f"git-traj-{settings.run}-{number}-{settings.key}.json"
    path.write_text(as_json(change), encoding="utf-8", errors="replace", newline="\n")
    return str(path)


def _skip(settings: Settings, console: Console, why: str) -> int:
    console.annotate("notice", why)
    _write(settings, {"result": "skipped"})
    return 0


def _write(settings: Settings, found: Mapping[str, str]) -> None:
    if settings.output is not None:
        write_outputs(Path(settings.output), found)


if __name__ == "__main__":
    sys.exit(main(os.environ))
