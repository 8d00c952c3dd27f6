"""``git traj show``."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.common.output import PIPE, dump_json, refuse_html, say, say_written, text_page, write
from gittraj.cli.common.repository import find_drained, read_events, read_records
from gittraj.git import Repository, from_top
from gittraj.index.answers import open_index
from gittraj.model.header import Header
from gittraj.query.log.listing import describe
from gittraj.query.show.trajectory import (
    SIGNIFICANCES,
    Target,
    after,
    between_agents,
    check_since,
    find_target,
    keep_events,
    show_target,
    significant,
    touching_file,
)
from gittraj.render.events import Detail
from gittraj.render.text.chapters import render_commit, render_timeline
from gittraj.render.text.terminal import Page

if TYPE_CHECKING:
    from gittraj.query.records import Recorded
    from gittraj.query.show.chapters import Segments
    from gittraj.seal.policy import WithKeys

_FILE = click.Path(dir_okay=False, path_type=Path)
_FORMATS = ("text", "markdown", "timeline", "html", "json", "redactions")


@click.command("show")
@click.argument("name", default="HEAD", metavar="[REV|TRAJECTORY|SYSTEM:ID]")
@click.option(
    "--format", "form", type=click.Choice(_FORMATS), default="text", help="Output format (default: text)."
)
@click.option("--json", "form", flag_value="json", help="The same as --format json.")
@click.option("--redactions", is_flag=True, help="List only what was redacted: where, and its kind.")
@click.option("--events", "everything", is_flag=True, help="Every event in full, with arguments and results.")
@click.option("--since", metavar="EVENT|TIME", help="Only events after this event or from this time on.")
@click.option(
    "--significance", type=click.Choice(SIGNIFICANCES), help="Only events of at least this significance."
)
@click.option(
    "--show-thinking", "thinking", is_flag=True, help="Show thinking, too; your keys open what is sealed."
)
@click.option("--identity", "identities", multiple=True, type=_FILE, help="A private key file; repeatable.")
@click.option(
    "--file", "path", metavar="PATH", help="Only calls that wrote this file; with --events, also results."
)
@click.option("--messages", is_flag=True, help="Only what agents said to each other.")
@click.option("--no-fetch", is_flag=True, help="Do not fetch missing events from the remotes.")
@click.option("-o", "output", type=_FILE, metavar="FILE", help="Write to a file instead of standard output.")
@click.option("--open", "opens", is_flag=True, help="Open the file that -o wrote; without -o, an HTML page.")
def command(
    *,
    name: str,
    form: str,
    redactions: bool,
    everything: bool,
    thinking: bool,
    identities: tuple[Path, ...],
    no_fetch: bool,
    output: Path | None,
    messages: bool,
    opens: bool,
    **filters: str | None,
) -> None:
    """Show a commit's trajectories in full, or one trajectory over all its commits.

    The beginning of a trajectory's id is enough if it is unique; a task (beads:bd-1) or the id of a
    benchmark run shows all its trajectories. Missing events are fetched. Sealed text is never written into a
    file by -o.
    """
    form, output = _choose_output(form, output, redactions=redactions, opens=opens)
    with find_drained(to_read=True) as repository, ExitStack() as stack:
        # listing all notes takes longer than this answer, building an index longer than that
        index = stack.enter_context(open_index(repository, build=False))
        recorded = read_records(repository, index.notes if index else None)
        opener = None
        if thinking and not output:
            from gittraj.cli.seal import keys

            opener = keys(repository, identities)
        target, trajectories, missing = _read(repository, recorded, name, opener, fetch=not no_fetch)
        if not trajectories and form != "json":
            return  # the missing record was reported; an empty page would look like a record
        if (since := filters["since"]) is not None and trajectories and not missing:
            check_since(trajectories, since)
        trajectories = _filter(repository, trajectories, messages=messages, **filters)
        page = Page(PIPE) if output else text_page(repository)
        detail = Detail(everything=everything, thinking=thinking)
        if form == "json":
            texts: Iterable[str] = [_as_json(target, trajectories, redactions=redactions)]
        else:
            texts = _render(repository, form, target, trajectories, page=page, detail=detail)
        if output:
            output.write_text("".join(texts), "utf-8", errors="replace")
            say_written(output, show=opens)
        else:
            write(repository, texts, pager=form not in ("json", "html"))


def _choose_output(
    form: str, output: Path | None, *, redactions: bool, opens: bool
) -> tuple[str, Path | None]:
    """The format, and the file to write: a temporary HTML page if one is to be opened and none was named."""
    if redactions and form == "text":
        form = "redactions"
    if opens and not output:
        import tempfile

        return "html", Path(tempfile.mkdtemp(prefix="git-traj-")) / "show.html"
    if not output:
        refuse_html(form)
    return form, output


def _read(
    repository: Repository, recorded: Recorded, name: str, opener: WithKeys | None, *, fetch: bool
) -> tuple[Target, list[Header], list[str]]:
    """Find what ``name`` names, its trajectories, and which segments are missing. Reports it if no trajectory
    is found, or if seals stay closed."""
    target = find_target(repository, recorded, name)

    def read(segments: Segments) -> tuple[list[Header], list[str]]:
        return show_target(repository, recorded, target, segments), segments.missing

    trajectories, missing = read_events(repository, read, command="show", fetch=fetch, opener=opener)
    if opener is not None:
        from gittraj.cli.seal import say_closed

        say_closed(opener)
    _say_parked(repository, target, trajectories)
    if not trajectories:
        from gittraj.cli.common.no_match import say_nothing_on

        say_nothing_on(repository, recorded, target.commit)
    return target, trajectories, missing


def _say_parked(repository: Repository, target: Target, trajectories: list[Header]) -> None:
    """Report each part of the commit (of the trajectories, if no commit is named) that could not be redacted,
    and so was not stored."""
    from gittraj.state.cursors import State, load_state
    from gittraj.state.folder import LocalState

    shown = {header["id"] for header in trajectories}
    for trajectory, session in (load_state(LocalState.of(repository).folder) or State()).sessions.items():
        for part in session.parts:
            if part.parked and (target.commit in part.commits if target.commit else trajectory in shown):
                say(f"a part of {trajectory} is not stored, because redaction failed: git traj doctor")


def _filter(
    repository: Repository,
    trajectories: list[Header],
    *,
    messages: bool,
    since: str | None,
    significance: str | None,
    path: str | None,
) -> list[Header]:
    """The trajectories with only the selected events. Says so if no call wrote the file."""
    if since is not None:
        trajectories = keep_events(trajectories, partial(after, since=since))
    if messages:
        trajectories = keep_events(trajectories, between_agents)
    if significance is not None:
        trajectories = keep_events(trajectories, partial(significant, minimum=significance))
    if path is not None:
        file = from_top(repository, path, Path.cwd())
        trajectories = keep_events(trajectories, partial(touching_file, path=file))
        if trajectories and not any(trajectory["chapters"] for trajectory in trajectories):
            from gittraj.cli.common.no_match import say_nothing_wrote

            say_nothing_wrote(path)
    return trajectories


def _as_json(target: Target, trajectories: list[Header], *, redactions: bool) -> str:
    """The JSON document: the trajectories, or what was redacted in them."""
    rows: list[Any] = trajectories
    if redactions:
        from gittraj.render.text.redactions import find_redactions

        rows = list(find_redactions(trajectories))
    name = "redactions" if redactions else "trajectories"
    return dump_json({"version": 1, "commit": target.commit, name: rows}) + "\n"


def _render(
    repository: Repository,
    form: str,
    target: Target,
    trajectories: list[Header],
    *,
    page: Page,
    detail: Detail,
) -> Iterable[str]:
    entry = describe(repository, target.commit) if target.commit and trajectories else None
    match form:
        case "markdown":
            from gittraj.render.markdown.page import render_markdown

            return render_markdown(entry, trajectories, detail=detail)
        case "redactions":
            from gittraj.render.text.redactions import render_redactions

            return render_redactions(trajectories)
        case "timeline":
            return render_timeline(trajectories, page, detail=detail)
        case "html":
            from gittraj.render.html.document import render_page

            return render_page([(entry, trajectories)], detail=detail)
        case _:
            return render_commit(entry, trajectories, page, datetime.now(UTC), detail=detail)
