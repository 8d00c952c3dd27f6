"""``git traj redact``.

``--json``: ``{"version": 1, "ruleset", "text", "redactions": [{"rule", "kind", "line", "column"}]}``.
``--audit --json``: ``{"version": 1, "ruleset", "records": scanned, "absent": segments, "findings": [{"id",
"commit", "trajectory", "event"|null, "rule"}]}``. ``--test --json``: ``{"version": 1, "ruleset", "examples":
tried, "failed": [{"rule", "example", "harmless"}]}``. Lines and columns count from 1. ``--purge --json``: see
``purge``.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.purge import check_values, fetch_first, purge_options, read_values, run
from gittraj.cli.repository import drain_first, environment, find_repository
from gittraj.cli.status import plain
from gittraj.config import Config, Environ
from gittraj.errors import NotARepository, RedactionError, TrajError

if TYPE_CHECKING:
    from gittraj.git import Repository
    from gittraj.record.pipeline import Pipeline
    from gittraj.redact.events import Redact
    from gittraj.redact.filter import Hit

_MODES = ("--json", "--jsonl", "--explain", "--audit", "--test", "--purge")


@click.command("redact", short_help=COMMANDS["protecting"]["redact"])
@click.argument("source", required=False, metavar="[FILE|-|RANGE|TEXT]")
@click.option("--json", "as_json", is_flag=True, help="One JSON document: the text, and where secrets were.")
@click.option("--jsonl", is_flag=True, help="A JSON value a line in, a redacted value a line out.")
@click.option("--explain", is_flag=True, help="What was found and why, with its line. Only on a terminal.")
@click.option(
    "--audit", is_flag=True, help="Scan what is stored, on the commits of RANGE; 1 if there is any."
)
@click.option("--test", is_flag=True, help="Try the rules' own examples; status 1 if one fails.")
@click.option("--purge", is_flag=True, help="Rewrite the refs without TEXT (-: asked for), history included.")
@click.option("--finding", metavar="ID", help="With --purge: what --audit found there, wherever it stands.")
@purge_options
def command(
    source: str | None,
    *,
    as_json: bool,
    jsonl: bool,
    explain: bool,
    audit: bool,
    test: bool,
    purge: bool,
    finding: str | None,
    dry_run: bool,
    no_fetch: bool,
    gc: bool,
) -> int:
    """Take the secrets out of FILE (- or none: standard input), by the rules that guard what is stored.

    With --purge it is what is stored that loses TEXT, or with neither TEXT nor --finding all that the rules
    find: the history of its refs is replaced, and it says what others have to do.
    """
    chosen = [jsonl, explain, audit, test, purge]
    if sum(chosen) > 1 or (as_json and (jsonl or explain)):
        raise click.UsageError(f"of {', '.join(_MODES)} only --json goes with --audit, --test or --purge")
    if not purge and (finding or dry_run or no_fetch or gc):
        raise click.UsageError("--finding, --dry-run, --no-fetch and --gc go with --purge")
    if purge:
        if finding and source:
            raise click.UsageError("either TEXT or --finding")
        return _purge(source, finding, dry_run=dry_run, fetching=not no_fetch, gc=gc, as_json=as_json)
    if audit:
        return _audit(source, as_json=as_json)
    if test:
        return _test(as_json=as_json)
    if explain and not sys.stdout.isatty():
        raise TrajError("--explain shows the secrets themselves, so only on a terminal", "--json tells where")
    redactor, ruleset = _redactor()
    with _opened(source) as stream:
        if jsonl:
            return _filter_lines(redactor, stream)
        text, encoding = _decode(stream.read(), source)
    from gittraj.redact.filter import clean_text

    clean, hits = clean_text(redactor, text)
    if as_json:
        rows = [{"rule": h.rule, "kind": h.kind, "line": h.line, "column": h.column} for h in hits]
        click.echo(json.dumps({"version": 1, "ruleset": ruleset, "text": clean, "redactions": rows}))
    elif explain:
        for line in _explained(text, hits):
            click.echo(line)
    else:
        sys.stdout.buffer.write(clean.encode(encoding, "surrogateescape"))
        sys.stdout.buffer.flush()
    return 0


def _redactor() -> tuple[Redact, str]:
    """By the settings and with the secrets of the repository, if there is one; and by which rules."""
    from gittraj.config import read_config
    from gittraj.record.drain.composition import known_secrets
    from gittraj.record.drain.redactor import redactors, stamp
    from gittraj.state.folder import LocalState

    raw = environment()
    try:
        with find_repository() as repository:
            config = read_config(repository)
            local = LocalState.of(repository)
            key = local.key() if local.exists else os.urandom(32)
            live = known_secrets(repository, Environ.of(raw), live=raw)
    except NotARepository:
        config, key, live = Config(), os.urandom(32), known_secrets(None, Environ.of(raw), live=raw)
    return redactors(config, key=key, live=live)(), stamp(config)


@contextmanager
def _opened(source: str | None) -> Iterator[BinaryIO]:
    if source in (None, "-"):
        yield sys.stdin.buffer
    else:
        with Path(str(source)).open("rb") as stream:
            yield stream


_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def _decode(data: bytes, source: str | None) -> tuple[str, str]:
    """The text, and how it is to be written again. Bytes that are no UTF-8 come out as they went in."""
    encoding = _MARKS.get(data[:2], "utf-8")
    try:
        text = data.decode(encoding, "surrogateescape")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise TrajError(f"{source or '-'} is no text, so it cannot be scanned")
    return text, encoding


def _filter_lines(redactor: Redact, stream: BinaryIO) -> int:
    """What cannot be scanned comes out as a placeholder, in its place, and makes the status 1."""
    from gittraj.redact.filter import clean_lines

    failed = 0
    for number, result in enumerate(clean_lines(redactor, _blocks(stream)), 1):
        clean = '"REDACTED-unscannable-line"\n' if isinstance(result, RedactionError) else result
        if isinstance(result, RedactionError):
            failed += 1
            sys.stderr.write(f"git-traj: line {number}: {result.message}\n")
        sys.stdout.buffer.write(clean.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()
    return int(failed > 0)


_BLOCK = 4 << 20  # bytes


def _blocks(stream: BinaryIO) -> Iterator[list[str]]:
    """Many lines of a file at once; of a pipe each as it comes."""
    while lines := stream.readlines(_BLOCK) if _is_file(stream) else [*islice(stream, 1)]:
        yield [line.decode("utf-8", "surrogateescape") for line in lines]


def _is_file(stream: BinaryIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:
        return False


def _explained(text: str, hits: list[Hit]) -> Iterator[str]:
    lines = text.splitlines()
    for hit in hits:
        line = lines[hit.line - 1]
        before, value = line[: hit.column - 1], line[hit.column - 1 :][: hit.end - hit.start]
        after = line[hit.column - 1 + len(value) :]
        shown = plain(before)[-60:] + click.style(plain(value), reverse=True) + plain(after)[:60]
        yield f"{hit.line}:{hit.column}: {hit.rule} ({hit.kind})\n    {shown}"
    if not hits:
        yield "Nothing was found."


def _audit(revisions: str | None, *, as_json: bool) -> int:
    from gittraj.commands.audit import audit
    from gittraj.commands.link import reachable
    from gittraj.config import read_config
    from gittraj.record.drain.composition import make_pipeline
    from gittraj.state.folder import LocalState

    raw = environment()
    with find_repository() as repository:
        drain_first(repository)
        LocalState.of(repository).create()  # for its key, in a clone where nothing is installed
        commits = reachable(repository, revisions)
        config = read_config(repository)
        pipeline = make_pipeline(repository, config, Environ.of(raw), live=raw)
        found = audit(repository, pipeline.redactor, commits=commits, paths=config.strict)
    rows = [
        {"id": k.finding, "commit": k.commit, "trajectory": k.trajectory, "event": k.event, "rule": k.rule}
        for k in found.leaks
    ]
    if as_json:
        told = {"version": 1, "ruleset": pipeline.ruleset, "records": found.records, "absent": found.absent}
        click.echo(json.dumps({**told, "findings": rows}))
        return int(bool(rows))
    for leak in found.leaks:
        where = f"event {leak.event}" if leak.event else "its record"
        click.echo(plain(f"{leak.finding} {leak.commit[:12]} {leak.trajectory} {where}: {leak.rule}"))
    if found.absent:
        sys.stderr.write(f"git-traj: not here, so not scanned: {found.absent} segments\n")
    sys.stderr.write(f"git-traj: {len(rows)} findings in {found.records} records\n")
    return int(bool(rows))


def _purge(
    text: str | None, finding: str | None, *, dry_run: bool, fetching: bool, gc: bool, as_json: bool
) -> int:
    from gittraj.commands.purge import Sought
    from gittraj.config import read_config
    from gittraj.record.drain.composition import make_pipeline
    from gittraj.redact import OnlyValues
    from gittraj.state.folder import LocalState

    raw = environment()
    values = None if text is None else check_values(read_values() if text == "-" else [text])
    with find_repository() as repository:
        drain_first(repository)
        if fetching and not dry_run:
            fetch_first(repository)
        config = read_config(repository)
        local = LocalState.of(repository)
        local.create()
        pipeline = make_pipeline(repository, config, Environ.of(raw), live=raw)
        if finding is not None:
            values = _values_of(repository, pipeline, finding)
        if values is None:
            sought = Sought(redactor=pipeline.redactor, paths=config.strict, remember=pipeline.remember)
        else:
            only = OnlyValues(values, key=local.key())
            sought = Sought(redactor=lambda: only, holds=only.holds, remember=pipeline.remember)
        return run(repository, sought, dry_run=dry_run, gc=gc, as_json=as_json)


def _values_of(repository: Repository, pipeline: Pipeline, finding: str) -> list[str]:
    from gittraj.commands.audit import audit, values_of

    paths = pipeline.config.strict
    leaks = audit(repository, pipeline.redactor, paths=paths).leaks
    leak = next((each for each in leaks if each.finding == finding), None)
    if leak is None:
        raise TrajError(f"there is no finding '{finding}'", "git traj redact --audit lists them")
    return check_values(sorted(values_of(repository, pipeline.redactor(), leak, paths=paths)))


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
    click.echo(f"{len(trials)} examples of the rules tried, {len(failed)} failed")
    return int(bool(failed))
