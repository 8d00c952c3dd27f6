"""``git traj redact``, and ``--purge``, which ``forget`` has, too. docs/json.md has their ``--json``."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from typing import IO, TYPE_CHECKING

import click

from gittraj.cli.common.options import adding
from gittraj.cli.common.output import say
from gittraj.cli.common.repository import find_drained, find_if_any, read_environ
from gittraj.errors import RedactionError
from gittraj.render.text.terminal import printable

if TYPE_CHECKING:
    from gittraj.commands.purge.search import PurgeTarget
    from gittraj.git import Repository
    from gittraj.redact.events import Redact

_PURGING = (
    click.option("--dry-run", is_flag=True, help="With --purge: say what would be rewritten; write nothing."),
    click.option("--no-fetch", is_flag=True, help="With --purge: do not fetch from the remotes first."),
    click.option("--gc", is_flag=True, help="With --purge: git gc --prune=now afterwards, without asking."),
)
purge_options = adding(_PURGING)
_MODES = ("--json", "--jsonl", "--explain", "--audit", "--rules", "--test", "--purge")


@click.command("redact")
@click.argument("source", required=False, metavar="[FILE|-|RANGE|TEXT]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the text, and where secrets were.")
@click.option("--jsonl", is_flag=True, help="Read one JSON value per line, write each one redacted.")
@click.option("--explain", is_flag=True, help="Show each match: line, rule, kind and length, not the secret.")
@click.option("--audit", is_flag=True, help="Scan the stored records of RANGE; exits 1 if a secret is found.")
@click.option("--rules", "listing", is_flag=True, help="List the rules: id, kind, an example of each.")
@click.option("--test", is_flag=True, help="Test the rules on their own examples; exits 1 if one fails.")
@click.option(
    "--purge", is_flag=True, help="Rewrite the refs and their history without TEXT (-: ask, or read lines)."
)
@click.option("--finding", metavar="ID", help="With --purge: remove this finding of --audit everywhere.")
@purge_options
def command(
    source: str | None,
    *,
    as_json: bool,
    jsonl: bool,
    explain: bool,
    audit: bool,
    listing: bool,
    test: bool,
    purge: bool,
    finding: str | None,
    dry_run: bool,
    no_fetch: bool,
    gc: bool,
) -> int:
    """Remove the secrets from FILE (- or none: standard input), with the rules that apply to everything
    stored.

    --purge TEXT removes TEXT from everything stored, --purge --finding ID what --audit found, and --purge
    alone all that the rules find. The refs' history is replaced, and the command says what others have to do.
    """
    if sum((jsonl, explain, audit, listing, test, purge)) > 1 or (as_json and (jsonl or explain)):
        raise click.UsageError(
            f"{', '.join(_MODES)} cannot be combined, except --json with --audit, --rules, --test or --purge"
        )
    if not purge and any((finding, dry_run, no_fetch, gc)):
        raise click.UsageError("--finding, --dry-run, --no-fetch and --gc need --purge")
    if purge:
        return _purge(source, finding, dry_run=dry_run, fetch=not no_fetch, gc=gc, as_json=as_json)
    if audit:
        return _audit(source, as_json=as_json)
    if listing:
        return _rules(as_json=as_json)
    if test:
        return _test(as_json=as_json)
    return _filter(source, as_json=as_json, jsonl=jsonl, explain=explain)


def _filter(source: str | None, *, as_json: bool, jsonl: bool, explain: bool) -> int:
    from gittraj.commands.redact import decode
    from gittraj.redact.filter import clean_text

    redactor, ruleset, remarks = _make_redactor()
    _warn(remarks)
    with click.open_file(source or "-", "rb") as stream:
        if jsonl:
            return _filter_lines(redactor, stream)
        text, encoding = decode(stream.read(), source or "-")
    clean, hits = clean_text(redactor, text)
    if as_json:
        rows = [
            {"rule": h.rule, "kind": h.kind, "line": h.line, "column": h.column, "length": h.end - h.start}
            for h in hits
        ]
        click.echo(json.dumps({"version": 1, "ruleset": ruleset, "text": clean, "redactions": rows}))
    elif explain:
        for h in hits:
            click.echo(f"{h.line}:{h.column}: {h.rule} ({h.kind}), {h.end - h.start} characters")
        if not hits:
            click.echo("Nothing was found.")
    else:
        sys.stdout.buffer.write(clean.encode(encoding, "surrogateescape"))
        sys.stdout.buffer.flush()
    return 0


def _warn(remarks: Iterable[str]) -> None:
    for remark in remarks:
        sys.stderr.write(printable(f"git-traj: {remark}") + "\n")


def _make_redactor() -> tuple[Redact, str, list[str]]:
    """Make a redactor with the settings and known secrets of the repository, if there is one."""
    from gittraj.commands.redact import make_redactor

    with find_if_any() as repository:
        return make_redactor(repository, environ=read_environ())


def _filter_lines(redactor: Redact, stream: IO[bytes]) -> int:
    """Write each line redacted, or a placeholder if it cannot be scanned; returns 1 if there was one."""
    from gittraj.redact.filter import clean_lines

    failed = 0
    lines = (line.decode("utf-8", "surrogateescape") for line in stream)
    for number, result in enumerate(clean_lines(redactor, lines), 1):
        clean = '"REDACTED-unscannable-line"\n' if isinstance(result, RedactionError) else result
        if isinstance(result, RedactionError):
            failed += 1
            sys.stderr.write(f"git-traj: line {number}: {result.message}\n")
        sys.stdout.buffer.write(clean.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    return int(failed > 0)


def _audit(revisions: str | None, *, as_json: bool) -> int:
    from gittraj.commands.redact import audit_stored
    from gittraj.model.words import count
    from gittraj.query.notes import name_over

    with find_drained() as repository:
        audit, ruleset = audit_stored(repository, revisions, environ=read_environ())
    rows = [
        {"id": k.finding, "commit": k.commit, "trajectory": k.trajectory, "event": k.event, "rule": k.rule}
        for k in audit.leaks
    ]
    if as_json:
        head = {"version": 1, "ruleset": ruleset, "records": audit.records, "absent": audit.absent}
        click.echo(json.dumps({**head, "tooLarge": audit.over, "findings": rows}))
        return int(bool(rows or audit.over))
    for leak in audit.leaks:
        where = f"event {leak.event}" if leak.event else "its record"
        click.echo(printable(f"{leak.finding} {leak.commit[:12]} {leak.trajectory} {where}: {leak.rule}"))
    if audit.absent:
        say(f"not here, so not scanned: {audit.absent} segments")
    if audit.over:
        say(name_over(audit.over))
    found = f"{count(len(rows), 'finding')} in {count(audit.records, 'record')}"
    say(f"{found} (a commit may have several)")
    return int(bool(rows or audit.over))


def _purge(
    text: str | None, finding: str | None, *, dry_run: bool, fetch: bool, gc: bool, as_json: bool
) -> int:
    from gittraj.commands.purge.values import check_values, choose_target

    if finding and text:
        raise click.UsageError("TEXT and --finding cannot be combined")
    values = None if text is None else check_values(read_values() if text == "-" else [text])
    with find_drained() as repository:
        if fetch and not dry_run:
            fetch_first(repository)
        target = choose_target(repository, values=values, finding=finding, environ=read_environ())
        return run_purge(repository, target, dry_run=dry_run, gc=gc, as_json=as_json)


def _rules(*, as_json: bool) -> int:
    from gittraj.commands.redact import list_own_rules
    from gittraj.redact import RULESET, rules

    with find_if_any() as repository:
        own_rules, remarks = list_own_rules(repository) if repository else ([], [])
    _warn(remarks)
    rows = [{"rule": rule, "kind": "secret", "good": [], "bad": []} for rule, _ in own_rules]
    rows += [
        {"rule": rule.id, "kind": rule.kind, "good": [*rule.good], "bad": [*rule.bad]} for rule in rules()
    ]
    if as_json:
        click.echo(json.dumps({"version": 1, "ruleset": RULESET, "rules": rows}))
        return 0
    for rule in rules():
        example = " ".join(rule.good[0].split())
        click.echo(f"{rule.id:24} {rule.kind:16} {example[:120]}")
    for name, file in own_rules:
        click.echo(printable(f"{name:24} {'secret':16} (in {file})"))
    return 0


def _test(*, as_json: bool) -> int:
    from gittraj.redact import RULESET
    from gittraj.redact.filter import try_rules

    trials = list(try_rules(os.urandom(32)))
    failed = [trial for trial in trials if not trial.passed]
    if as_json:
        rows = [{"rule": t.rule, "example": t.example, "harmless": t.harmless} for t in failed]
        click.echo(json.dumps({"version": 1, "ruleset": RULESET, "examples": len(trials), "failed": rows}))
        return int(bool(failed))
    for trial in failed:
        what = "damages" if trial.harmless else "misses"
        click.echo(f"{trial.rule} {what} {trial.example!r}")
    click.echo(f"tried {len(trials)} examples of the rules, {len(failed)} failed")
    return int(bool(failed))


def read_values() -> list[str]:
    """Read values from a pipe, one per line; on a terminal ask for one, without echo."""
    if sys.stdin.isatty():
        return [click.prompt("Text to purge", hide_input=True, err=True)]
    return sys.stdin.read().splitlines()


def fetch_first(repository: Repository) -> None:
    """Fetch all remotes: a secret that only they have would come back with the next join."""
    from gittraj.sync.transfer import fetch_all

    failures = fetch_all(repository)
    _warn(f"{failure}: what only this remote has was not searched" for failure in failures)


def run_purge(
    repository: Repository, target: PurgeTarget, *, dry_run: bool, gc: bool, as_json: bool = False
) -> int:
    """Purge and report. Returns 1 if the text is still somewhere. Raises TrajError."""
    from gittraj.commands.purge.work import (
        collect_garbage,
        purge,
        purge_to_json,
        purge_to_lines,
        purge_to_warnings,
    )
    from gittraj.sync.remote import list_remotes

    done = purge(repository, target, dry_run=dry_run)
    _warn(purge_to_warnings(done))
    if done.refs and not dry_run and (gc or _confirms_gc()):
        gc = collect_garbage(repository, done)
        if not gc:
            say("git keeps old objects (see above, .keep, a partial clone): clone again")
    if as_json:
        click.echo(json.dumps(purge_to_json(done, dry_run=dry_run)))
    else:
        for line in purge_to_lines(done, list_remotes(repository), dry_run=dry_run, gc=gc):
            click.echo(printable(line))
    return int(bool(done.left))


def _confirms_gc() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    question = (
        "Remove the old objects now? git gc --prune=now deletes all unreachable objects, including your own."
    )
    return click.confirm(question, err=True)
