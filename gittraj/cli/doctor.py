"""``git traj doctor``. docs/json.md has its ``--json``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.output import columns, wants_colour
from gittraj.cli.common.repository import drain_first, environment, find_repository, find_to_read
from gittraj.config import Environ
from gittraj.render.text.terminal import Page, render_line

if TYPE_CHECKING:
    from gittraj.commands.doctor.finding import Finding
    from gittraj.errors import TrajError


@click.command("doctor")
@click.option("--fix", is_flag=True, help="Repair what can be repaired without losing anything.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(fix: bool, as_json: bool) -> int:
    """Check hooks, notes and local state, and say what to do. Exits 1 when something is wrong."""
    from gittraj.commands.doctor.facts import gather
    from gittraj.commands.doctor.finding import check_login_shell
    from gittraj.commands.doctor.findings import examine
    from gittraj.commands.status import status_to_json, status_to_lines

    with find_repository() if fix else find_to_read() as repository:
        kept = drain_first(repository)
        raw = environment()
        environ = Environ.of(raw)
        facts = gather(repository, environ)
        found = [*examine(repository, facts), *(check_login_shell(repository, raw) if facts.agents else ())]
        told: set[str] = set()
        findings = [(finding, fix and _fix(finding, told)) for finding in found]
        if kept and not any(kept.message in finding.text for finding, _ in findings):
            findings.insert(0, (_not_recorded(kept), False))
        if fix:
            facts = gather(repository, environ)
        page = Page(columns(raw), wants_colour(repository, raw))
    ill = any(finding.severity == "wrong" and not fixed for finding, fixed in findings)
    if as_json:
        rows = [_row(finding, fixed=fixed) for finding, fixed in findings]
        click.echo(
            json.dumps({"version": 1, "well": not ill, "findings": rows, "status": status_to_json(facts)})
        )
        return int(ill)
    lines = [line.replace(" (git traj doctor)", "") for line in status_to_lines(facts)]  # this is it
    for finding, fixed in findings:
        lines.append(f"{'fixed' if fixed else finding.severity}: {finding.text}")
        lines += [] if fixed else [f"    {finding.remedy}"]
    noted = any(not fixed for _, fixed in findings)
    lines.append("Problems found." if ill else "Nothing is wrong." if noted else "Everything is OK.")
    for line in lines:
        click.echo(render_line(line, page), nl=False, color=page.colour)
    return int(ill)


def _not_recorded(kept: TrajError) -> Finding:
    from gittraj.commands.doctor.finding import Finding

    what = f"new work could not be recorded: {kept.message}"
    return Finding(code="not-recorded", text=what, remedy=kept.hint or "fix that; nothing is lost")


def _fix(finding: Finding, told: set[str]) -> bool:
    """Whether it is fixed; says why not, once for all findings (``told``) that the same thing hinders."""
    from gittraj.errors import TrajError

    if finding.fix is None:
        return False
    try:
        finding.fix()
    except TrajError as error:
        if error.message not in told:
            click.echo(f"git-traj: not fixed: {error.message}", err=True)
        told.add(error.message)
        return False
    return True


def _row(finding: Finding, *, fixed: bool) -> dict[str, object]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "text": finding.text,
        "remedy": finding.remedy,
        "fixable": finding.fix is not None,
        "fixed": fixed,
    }
