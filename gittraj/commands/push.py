"""Pushes to a remote, and describes for consent and report which data becomes readable to whom."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.words import count, size_of
from gittraj.sync.consent import read_answer, remember_consent, shares_records_only
from gittraj.sync.outgoing import Outgoing, find_outgoing
from gittraj.sync.remote import Remote
from gittraj.sync.rescan import vet
from gittraj.sync.transfer import push


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A push to ``remote``, planned if ``dry_run``. ``replaced`` are the refs whose
    history on the remote was replaced."""

    remote: Remote
    outgoing: Outgoing
    dry_run: bool
    replaced: tuple[str, ...] = ()


def send(
    repository: Repository,
    remote: Remote,
    *,
    environ: Environ,
    consent: Callable[[Outgoing], None],
    report: Callable[[str], None],
    dry_run: bool,
    records_only: bool,
    replace: bool,
) -> Sent:
    """Push what the remote lacks, redacted by the present rules. ``consent`` is called before the first push
    to an address, and raises TrajError unless the user agrees; ``report`` is called with remarks. With
    ``replace``, the remote's history is replaced. Raises TrajError."""
    if not dry_run:
        vet(repository, remote, environ=environ, live=environ.variables)
    without_events = shares_records_only(repository) or records_only
    outgoing = find_outgoing(repository, remote, records_only=without_events)
    if dry_run or not outgoing.tips:
        return Sent(remote=remote, outgoing=outgoing, dry_run=dry_run)
    match read_answer(repository, remote):
        case "never":
            raise TrajError("git config traj.push is 'never'", "git config traj.push ask")
        case "ask":
            consent(outgoing)
            remember_consent(repository, remote)
        case "auto":
            pass
    done = push(repository, remote, records_only=without_events, replace=replace, tell=report)
    return Sent(remote=remote, outgoing=outgoing, dry_run=dry_run, replaced=done.replaced)


def describe_outgoing(remote: Remote, outgoing: Outgoing) -> str:
    """Return a text on what a push makes readable, and to whom. The text is not escaped."""
    what = (
        [f"the records of {count(outgoing.notes, 'commit')}"] if outgoing.notes or not outgoing.months else []
    )
    if outgoing.months:
        size = f" ({size_of(outgoing.size)})" if outgoing.size else ""
        what.append(f"the events of {', '.join(outgoing.months)}{size}")
    return f"{', with '.join(what)}: readable by everybody who can fetch from {' and '.join(remote.urls)}"


def sent_to_line(sent: Sent) -> str:
    """Return a line on what was, or would be, pushed. The line is not escaped."""
    if not sent.outgoing.tips:
        return f"{sent.remote.name} has everything"
    verb = "would push" if sent.dry_run else "pushed"
    line = f"{verb} {describe_outgoing(sent.remote, sent.outgoing)}"
    if sent.replaced:
        line += f"; the history there was replaced: {', '.join(sent.replaced)}"
    return line


def sent_to_json(sent: Sent) -> dict[str, object]:
    """Return the document that ``git traj push --json`` prints."""
    outgoing = sent.outgoing
    return {
        "version": 1,
        "dryRun": sent.dry_run,
        "remote": sent.remote.name,
        "refs": list(outgoing.tips),
        "commits": outgoing.notes,
        "records": outgoing.records,
        "trajectories": outgoing.trajectories,
        "segments": outgoing.segments,
        "bytes": outgoing.size,
        "replaced": list(sent.replaced),
    }
