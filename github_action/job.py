"""One run of the Action: the data that its steps share; reads the records, and writes the outputs."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from github_action.console import Console
from github_action.fetching import Fetched, Source
from github_action.forge import Forge
from github_action.gate import Verdict
from github_action.outputs import write_dotenv, write_outputs
from github_action.payload import Payload
from github_action.pull_request import PullDetails
from github_action.reporting import Notes, ScannedReport, as_json, read_change, read_notes
from github_action.settings import Settings
from gittraj.errors import TrajError
from gittraj.query.change import Change

_UNKNOWN = dict.fromkeys(("coverage", "unsure", "cost"), "unknown")
"""Outputs that other steps may base decisions on, and which are therefore always set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """The data of a run: settings, event, environment, log and connection; and the reports that it made, the
    newest last."""

    settings: Settings
    payload: Payload
    environ: Mapping[str, str]
    console: Console
    forge: Forge
    reports: list[tuple[ScannedReport, Verdict]] = field(default_factory=list)

    def source(self, fork: str | None = None) -> Source:
        """Where to fetch records from: the repository, with its token, or ``fork`` (a URL), without a token.
        For both, git may use only the protocol of the server's URL."""
        settings = self.settings
        protocols = (settings.server.partition(":")[0],)
        if fork is not None:
            return Source(url=fork, protocols=protocols)
        token = settings.token if settings.git_token is None else settings.git_token
        url = f"{settings.server}/{settings.repository}.git"
        return Source(url=url, token=token.reveal() or None, user=settings.git_user, protocols=protocols)


def read_records(job: Job, details: PullDetails) -> Change:
    """Read the records of the pull request's fork, if possible, and those of the repository itself."""
    pull, sources = details.pull, list[Notes]()
    if pull.fork and pull.head_url is not None:
        with suppress(TrajError):
            sources.append(_fetch(job, details, job.source(fork=pull.head_url)))
    unread = pull.fork and not sources
    if unread:
        job.console.annotate("notice", "the fork's records cannot be read: it is gone, or private")
    sources.append(_fetch(job, details, job.source()))
    change = read_change(
        details,
        sources,
        job.settings,
        before=job.payload.sha("before"),
        files_of=job.forge.files_of,
    )
    return replace(change, unread=unread)


def _fetch(job: Job, details: PullDetails, source: Source) -> Notes:
    folder = job.settings.folder / f"git-traj-{job.settings.run}-{details.pull.number}"
    fetched = Fetched(folder, source, environ=job.environ)
    try:
        return read_notes(details, fetched, job.settings)
    finally:
        fetched.close()
        shutil.rmtree(folder, ignore_errors=True)


def write_json(settings: Settings, scanned: ScannedReport, number: int) -> str:
    """Write the report on pull request ``number`` as JSON; returns the file's path."""
    path = settings.folder / f"git-traj-{settings.run}-{number}-{settings.key}.json"
    path.write_text(as_json(scanned), encoding="utf-8", errors="replace", newline="\n")
    return str(path)


def write(settings: Settings, values: Mapping[str, str]) -> None:
    """Write the step's outputs."""
    if settings.output is not None:
        append = write_dotenv if settings.host == "gitlab" else write_outputs
        append(settings.output, {**_UNKNOWN, **values})


def write_failure(environ: Mapping[str, str]) -> None:
    """Write the outputs of a failed run, for later steps that rely on them."""
    if environ.get("GITHUB_OUTPUT"):
        with suppress(OSError):
            append = write_dotenv if environ.get("GITLAB_CI") == "true" else write_outputs
            append(Path(environ["GITHUB_OUTPUT"]), {**_UNKNOWN, "result": "failed"})
