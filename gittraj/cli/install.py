"""``git traj install``. docs/json.md has its ``--json``."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.options import Plugged
from gittraj.cli.common.output import print_wrapped
from gittraj.cli.common.repository import environment, find_repository
from gittraj.config import Environ

if TYPE_CHECKING:
    from gittraj.commands.install.report import Step
    from gittraj.git import Repository

AGENTS = ("claude-code", "cline", "codex", "copilot", "gemini", "pi", "qwen")
"""The options of those that have hooks or read an instruction; written here so that none is imported."""


def _plugged_agents() -> list[str]:
    from gittraj.agents import all_agents

    return [agent.option for agent in all_agents().values() if agent.hooks or agent.instructions]


@click.command("install")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=Plugged(AGENTS, _plugged_agents),
    help="Install this agent's hooks, where it has any, and instruction in this work tree too; repeatable.",
)
@click.option(
    "--action",
    "starter",
    is_flag=False,
    flag_value="pull-request",
    metavar="[WORKFLOW]",
    help="Write a workflow for pull requests instead (or forks, forks-target, carry, gate, reusable).",
)
@click.option("--uses", metavar="OWNER/NAME@COMMIT", help="The Action that the workflow runs.")
@click.option(
    "--yes",
    is_flag=True,
    help="Set up every agent found, link past sessions, write the workflow: do not ask.",
)
@click.option("--no-fetch-refspec", is_flag=True, help="Do not change what git fetch downloads.")
@click.option(
    "--global", "everywhere", is_flag=True, help="Apply to every repository created or cloned from now on."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    *,
    agents: tuple[str, ...],
    yes: bool,
    no_fetch_refspec: bool,
    everywhere: bool,
    starter: str | None,
    uses: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Set up this repository: the hooks that record, and the refspec that fetches records.

    On a terminal it asks which of the agents found on this machine to set up, and whether to link their past
    sessions. Hooks that are there already are kept and run first. Safe to repeat.
    """
    if starter is not None:
        if agents or no_fetch_refspec or everywhere or as_json:
            raise click.UsageError("--action takes only --uses, --yes and --dry-run")
        return _write_workflow(starter, uses, yes=yes, dry_run=dry_run)
    if uses:
        raise click.UsageError("--uses belongs to --action")
    if everywhere and (agents or yes or no_fetch_refspec):
        raise click.UsageError("--global takes neither --agent nor --yes nor --no-fetch-refspec")
    raw = environment()
    if everywhere:
        from gittraj.commands.install.global_install import install_globally

        steps = install_globally(raw, dry_run=dry_run)
        return _report(steps, {}, dry_run=dry_run, as_json=as_json)
    from gittraj.cli.common.install_questions import Offer

    environ = Environ.of(raw)
    asks = sys.stdin.isatty() and sys.stdout.isatty() and environ.ci is None and not as_json
    with find_repository() as repository:
        offer = Offer(repository, environ, raw, ask=asks and not yes, accept=yes, dry_run=dry_run)
        chosen = agents or offer.choose_agents()
        steps = _install_here(
            *(repository, environ, chosen),
            fetch_refspec=not no_fetch_refspec,
            dry_run=dry_run,
            make_key=(asks or yes) and environ.ci is None,
        )
        fresh = steps[0].did == "added"
        past = offer.count_sessions() if fresh and (dry_run or as_json) else 0
        found = {"agentsFound": list(offer.agents), "sessionsFound": past}
        ahead = offer.preview(past) if dry_run else ()
        status = _report(steps, found, dry_run=dry_run, as_json=as_json, ahead=ahead)
        if not (status or dry_run or as_json):
            offer.follow_up(fresh=fresh)
    return status


def _install_here(
    repository: Repository,
    environ: Environ,
    agents: tuple[str, ...],
    *,
    fetch_refspec: bool,
    dry_run: bool,
    make_key: bool,
) -> list[Step]:
    from gittraj.commands.install.install import install
    from gittraj.commands.install.keys import provide_key

    steps = install(repository, agents=agents, fetch_refspec=fetch_refspec, dry_run=dry_run)
    return [*steps, *provide_key(repository, environ, make=make_key, dry_run=dry_run)]


def _report(
    steps: list[Step],
    found: dict[str, object],
    *,
    dry_run: bool,
    as_json: bool,
    ahead: Iterable[str] = (),
) -> int:
    """Print the steps, hooks with the same text on one line, and what lies ``ahead``; returns the status."""
    if as_json:
        rows = [{"what": s.what, "name": s.name, "did": s.did, "text": s.text} for s in steps]
        click.echo(json.dumps({"version": 1, "dryRun": dry_run, "steps": rows, **found}))
    else:
        for (what, text), same in groupby(steps, lambda s: (s.what, s.text)):
            names = ", ".join(step.name for step in same)
            print_wrapped(text if what == "state" else f"{names}: {text}")
        for line in ahead:
            print_wrapped(line)
        if dry_run:
            click.echo("Nothing was written.")
    return int(any(step.did == "failed" for step in steps))


def _write_workflow(name: str, uses: str | None, *, yes: bool, dry_run: bool) -> int:
    """Show it first; write it when somebody says so."""
    from gittraj.commands.install.workflow import STARTERS, make_starter

    if name not in STARTERS:
        raise click.UsageError(f"--action is one of {', '.join(STARTERS)}")
    with find_repository() as repository:
        starter = make_starter(repository, name, uses=uses)
    click.echo(f"{starter.path}:\n\n{starter.text}")
    asked = sys.stdin.isatty() and sys.stdout.isatty()
    if dry_run or not (yes or (asked and click.confirm("Write it?"))):
        click.echo("Nothing was written." if dry_run or asked else "Nothing was written: --yes writes it.")
        return 0
    starter.write()
    click.echo(f"{starter.path} is written: read it, and commit it.")
    return 0
