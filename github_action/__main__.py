"""The Action: turns an event into a comment on the pull request, and keeps the job green.

An error becomes a line in the log and a notice; only a configured gate or ``fail-on-error`` fails the job. A
gate that cannot be evaluated fails. The log contains a token only in the line that makes the runner
mask it, and text of a trajectory only in annotations on lines of the diff.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from github_action import gitlab, pull_request, upsert_comment
from github_action.activity import Idle, OnPull, OnPush, decide
from github_action.annotating import Annotation, as_code_quality, find_annotations
from github_action.api import Api
from github_action.carrying import carry
from github_action.console import Console
from github_action.errors import ForgeError
from github_action.fallback import Published, publish
from github_action.forge import GitHub, open_forge
from github_action.gate import check_coverage
from github_action.job import Job, read_records, write, write_failure, write_json
from github_action.payload import Payload
from github_action.placing import post_check, post_review
from github_action.reporting import ScannedReport, find_labels, make_report, outputs
from github_action.retry import RetryBudget
from github_action.settings import Settings, is_strict, read_settings
from github_action.watchdog import SECONDS, Watchdog
from gittraj.errors import TrajError
from gittraj.model.words import count


def main(environ: Mapping[str, str], budget: RetryBudget | None = None) -> int:
    """Run the action; returns the step's exit status."""
    on_gitlab = environ.get("GITLAB_CI") == "true"
    console = Console(sys.stdout, commands=not on_gitlab)
    strict, event = is_strict(environ), None
    try:
        if on_gitlab:
            environ, event = gitlab.as_github(environ)
        settings = read_settings(environ)
        if settings.foreign_token:
            console.mask(settings.token)
        payload = Payload.read(settings.payload) if event is None else Payload(event)
        return run(settings, payload, _without_tokens(environ), console, budget or RetryBudget())
    except TrajError as error:
        console.annotate("error" if strict else "warning", error.message)
        if error.hint:
            console.say(error.hint)
    except Exception as error:  # noqa: BLE001 - its text may quote anything
        console.annotate("error" if strict else "warning", f"a bug in git-traj: {type(error).__name__}")
    write_failure(environ)
    return int(strict)


_LINE_ANNOTATION_EVENTS = ("pull_request", "pull_request_target")
"""Events for which GitHub shows a job's annotations on the lines of the pull request."""
_TOKENS = (
    *("INPUT_TOKEN", "DEFAULT_TOKEN", "GIT_TRAJ_TOKEN", "CI_JOB_TOKEN"),
    *("GITHUB_TOKEN", "GITEA_TOKEN", "FORGEJO_TOKEN"),
)
"""Variables that are removed from the environment of every process that we start."""


def _without_tokens(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name not in _TOKENS}


def run(
    settings: Settings, payload: Payload, environ: Mapping[str, str], console: Console, budget: RetryBudget
) -> int:
    """Handle the event; returns the step's exit status. Raises TrajError."""
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
    with open_forge(settings, repository=activity.repository, budget=budget) as forge:
        job = Job(settings=settings, payload=payload, environ=environ, console=console, forge=forge)
        if isinstance(activity, OnPull):
            return _report_all(job, [activity])
        if not isinstance(forge, GitHub):
            return _skip(settings, console, "only pull requests are supported on this host")
        if isinstance(activity, OnPush):
            return _carry(job, forge.api, activity)
        numbers = pull_request.find_pulls(
            forge.api, head=activity.head, branch=activity.branch, repository=activity.head_repository
        )
        if not numbers:
            return _skip(settings, console, "no open pull request has that commit as its head")
        pulls = [
            OnPull(repository=activity.repository, number=n, fork=activity.fork, check=activity.check)
            for n in numbers
        ]
        return _report_all(job, pulls)


def _carry(job: Job, api: Api, push: OnPush) -> int:
    """Carry records to the commits of a push; returns the exit status. Raises TrajError."""
    settings = job.settings
    commits, more = carry(
        api,
        push,
        job.source(),
        ref=settings.notes,
        folder=settings.folder,
        environ=job.environ,
        forks=settings.forks,
    )
    job.console.say(f"records carried to {count(commits, 'commit')}")
    if more:
        job.console.annotate("notice", "the push brought more commits than were examined")
    write(settings, {"result": "skipped"})
    return 0


def _report_all(job: Job, pulls: Sequence[OnPull]) -> int:
    """Report on each pull request within the time limit; returns the highest exit status."""
    configured = job.settings.wait or 0.0
    granted = lambda: job.forge.budget.rate_limit_wait + configured  # noqa: E731 - it changes as the run goes on
    with Watchdog(late=lambda: _give_up(job), granted=granted):
        return max(_report(job, pull) for pull in pulls)


def _give_up(job: Job) -> int:
    """Publish what is known when the time limit is reached, in the job's summary and outputs; returns the
    exit status."""
    settings = job.settings
    strict = settings.strict or settings.require == "fail"
    why = f"stopped after {SECONDS:.0f} s: the host is too slow, or there is too much to read"
    job.console.annotate("error" if strict else "warning", why)
    if not job.reports:
        write(settings, {"result": "failed"})
        return int(strict)
    scanned, verdict = job.reports[-1]
    publish(scanned.report, post=None, summary=settings.summary, console=job.console)
    write(settings, {**outputs(scanned), "result": "summary-only"})
    return int(verdict.fails or settings.strict)


def _report(job: Job, pull: OnPull) -> int:
    """Report on one pull request; returns the exit status. Raises TrajError."""
    settings, console = job.settings, job.console
    details = job.forge.details(pull.number)
    if pull.head is not None and details.pull.head != pull.head:
        console.annotate("notice", "the pull request has a newer head, which gets its own run")
        write(settings, {"result": "superseded"})
        return 0
    change = read_records(job, details)
    scanned = make_report(change, settings, number=pull.number)
    for rule in scanned.leaks:
        console.annotate("warning", f"a secret was removed from the comment (rule {rule}): rotate it")
    change = scanned.change
    verdict = check_coverage(change, details.pull.labels, settings)
    job.reports.append((scanned, verdict))
    published = _publish(job, pull, scanned)
    _annotate(job, pull, scanned)
    _relabel(job, pull, scanned)
    path = write_json(settings, scanned, pull.number)
    write(settings, {**outputs(scanned), **published.outputs(), "json-path": path})
    if verdict.line:
        console.annotate("error" if verdict.fails else "warning", verdict.line)
    failed = settings.strict and published.error is not None and pull.read_only is None
    return int(verdict.fails or failed)


def _publish(job: Job, pull: OnPull, scanned: ScannedReport) -> Published:
    change, settings = scanned.change, job.settings
    marker = upsert_comment.Marker(key=settings.key, head=change.head, run=settings.run, of=settings.owner)
    silent = not change.recorded and settings.missing == "quiet" and settings.comment == "auto"

    def post(body: str) -> upsert_comment.Upserted | None:
        if silent and not _has_comment(job, pull, marker):
            return None
        return upsert_comment.post(job.forge, body, number=pull.number, marker=marker, author=settings.author)

    wanted = settings.comment != "off" and not pull.check
    return publish(
        scanned.report,
        post=post if wanted else None,
        summary=settings.summary,
        console=job.console,
        expected=pull.read_only,
    )


def _has_comment(job: Job, pull: OnPull, marker: upsert_comment.Marker) -> bool:
    """Whether our comment already exists; if so, it is updated even if there is nothing to report."""
    author = job.settings.author or job.forge.viewer()
    comments = job.forge.thread(pull.number).comments()
    return bool(upsert_comment.own(comments, author=author, marker=marker))


def _annotate(job: Job, pull: OnPull, scanned: ScannedReport) -> None:
    """Annotate lines of the diff: with a check run or review comments if configured and allowed, otherwise
    with annotations in the job's log."""
    settings, change = job.settings, scanned.change
    if settings.annotations == "false":
        return
    annotations = find_annotations(change, scanned.flags)
    if settings.host == "gitlab":
        report = as_code_quality(annotations)
        settings.folder.joinpath("code-quality.json").write_text(report, encoding="utf-8")
    posted = False
    try:
        posted = isinstance(job.forge, GitHub) and _post(job.forge, pull, scanned, annotations, settings)
    except ForgeError as error:
        job.console.say(f"showing annotations instead of line comments: {pull.read_only or error.message}")
    for each in annotations if settings.event in _LINE_ANNOTATION_EVENTS and not posted else ():
        job.console.annotate_line(each.text, title=each.title, file=each.path, line=each.line)


def _post(
    forge: GitHub,
    pull: OnPull,
    scanned: ScannedReport,
    annotations: Sequence[Annotation],
    settings: Settings,
) -> bool:
    """Post annotations as configured; returns False if they go to the log. Raises ForgeError."""
    change, report = scanned.change, scanned.report
    if settings.annotations == "check":
        post_check(forge.api, change, annotations, title=report.line, summary=report.brief)
    elif settings.annotations == "review" and annotations:
        author = settings.author or forge.viewer()
        post_review(forge.api, change, annotations, number=pull.number, author=author)
    return settings.annotations != "true"


def _relabel(job: Job, pull: OnPull, scanned: ScannedReport) -> None:
    if pull.check or not job.settings.labels:
        return
    try:
        job.forge.relabel(pull.number, find_labels(scanned))
    except ForgeError as error:
        why = pull.read_only or error.message
        job.console.annotate(
            "notice" if pull.read_only else "warning", f"the pull request could not be labelled: {why}"
        )


def _skip(settings: Settings, console: Console, why: str) -> int:
    console.annotate("notice", why)
    write(settings, {"result": "skipped"})
    return 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
