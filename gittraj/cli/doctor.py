"""``git traj status`` and ``git traj doctor``. docs/json.md has their ``--json``."""

from __future__ import annotations

import json

import click

from gittraj.cli.common.output import columns, say, wants_colour
from gittraj.cli.common.repository import (
    drain_first,
    environment,
    find_drained,
    find_repository,
    find_to_read,
    read_environ,
)
from gittraj.render.text.terminal import Page, render_line


@click.command("status")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def status(as_json: bool) -> None:
    """Show what is recorded here, what is still to be recorded or pushed, and which settings apply."""
    from gittraj.commands.doctor.facts import gather
    from gittraj.commands.status import status_to_json, status_to_lines

    with find_drained(to_read=True) as repository:
        facts = gather(repository, read_environ())
        if as_json:
            click.echo(json.dumps(status_to_json(facts)))
            return
        page = Page(columns(), wants_colour(repository))
    for line in status_to_lines(facts):
        click.echo(render_line(line, page), nl=False, color=page.colour)


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Repair what can be repaired without losing anything.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def doctor(fix: bool, as_json: bool) -> int:
    """Check hooks, notes and local state, and say what to do. Exits 1 when something is wrong."""
    from gittraj.commands.doctor.facts import gather
    from gittraj.commands.doctor.finding import (
        findings_to_json,
        findings_to_lines,
        fix_findings,
        has_problems,
    )
    from gittraj.commands.doctor.findings import examine_all
    from gittraj.commands.status import status_to_json, status_to_lines

    with find_repository() if fix else find_to_read() as repository:
        failure = drain_first(repository)
        facts = gather(repository, read_environ())
        problems = examine_all(repository, facts, environment(), unrecorded=failure)
        findings = fix_findings(problems, report=say) if fix else [(problem, False) for problem in problems]
        facts = gather(repository, read_environ()) if fix else facts
        page = Page(columns(), wants_colour(repository))
    if as_json:
        click.echo(json.dumps({**findings_to_json(findings), "status": status_to_json(facts)}))
    else:
        status = (
            line.replace(" (git traj doctor)", "") for line in status_to_lines(facts)
        )  # which is this command
        for line in (*status, *findings_to_lines(findings)):
            click.echo(render_line(line, page), nl=False, color=page.colour)
    return int(has_problems(findings))
