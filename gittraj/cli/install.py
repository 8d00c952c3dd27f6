"""``git traj install``: sets up the repository, then offers to set up the agents on this machine and to link
their past sessions, and says what to do next. docs/json.md has its ``--json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

import click

from gittraj.cli.common.options import Plugged
from gittraj.cli.common.output import print_wrapped, show_progress
from gittraj.cli.common.repository import environment, find_repository, say_remark
from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.words import count

if TYPE_CHECKING:
    from gittraj.commands.install.manifest import Step


class Offer:
    """The questions of one installation.

    ``ask``: ask them, on a terminal; ``accept``: answer yes to all of them without asking; with neither,
    only what was requested is done; ``dry_run``: only print them. The attribute ``agents`` has the
    agents that were found, as ``--agent`` names them.
    """

    def __init__(
        self,
        repository: Repository,
        environ: Environ,
        raw: Mapping[str, str],
        *,
        ask: bool,
        accept: bool,
        dry_run: bool,
    ) -> None:
        from gittraj.commands.install.discover import find_agents

        self.repository, self.environ, self.raw = repository, environ, raw
        self.ask, self.accept, self.dry_run = ask, accept, dry_run
        self.agents = find_agents(environ, raw)
        self.advice: str | None = None
        """What to say about agents that are not set up."""

    def choose_agents(self) -> tuple[str, ...]:
        """Choose which of the agents found, and not yet set up in this work tree, to set up."""
        from gittraj.commands.install.discover import find_new_agents

        if not self.agents:
            self.advice = "No agent to set up was found here: agents are recognised when they start to work"
        new = find_new_agents(self.repository, self.agents)
        names = ", ".join(new)
        if not new or self.accept:
            return new
        if not self.ask:
            self.advice = f"On this machine: {names} (git traj install --agent NAME sets one up, --yes all)"
            return ()
        if self.dry_run:
            print_wrapped(f"Would ask which of the agents on this machine to set up: {names}.")
            return new
        print_wrapped(f"On this machine: {names}.")
        print_wrapped(
            "Each can get hooks in its settings here, and an instruction on how to record decisions."
        )
        print_wrapped("Without them its commits are recorded too, with what its log says.")
        if len(new) == 1:
            return new if click.confirm(f"Set up {names}?", default=True) else ()
        return _ask_which(new)

    def preview(self, past: int) -> Iterator[str]:
        """Yield, in a dry run, what the installation would do or ask next, with ``past`` sessions found."""
        if not self.dry_run:
            return
        if past:
            would = "would link" if self.accept else "would ask whether to link" if self.ask else ""
            links = f"{would or 'git traj backfill links'} {_to_commits(past)}"
            yield f"{count(past, 'session')} of this repository found: {links}"
        if self.advice:
            yield self.advice

    def follow_up(self, *, fresh: bool) -> None:
        """Print the next steps; after a ``fresh`` installation, offer past sessions and remotes' records
        first."""
        from gittraj.commands.install.discover import count_sessions
        from gittraj.notes.store import NotesRef

        past = count_sessions(self.repository, self.environ) if fresh else 0
        first = "git commit", "work with your agent as usual, and let it commit"
        if past:
            found = f"{count(past, 'session')} of this repository {'were' if past > 1 else 'was'} found"
            if self._agrees(f"{found}: link {_to_commits(past)}?"):
                self._backfill()
            else:
                first = "git traj backfill", f"{found}: link {_to_commits(past)}"
        elif NotesRef(self.repository).tip() is None and self.repository.run("remote").out:
            first = "git traj fetch", "get the records that your team shares"
        if self.advice:
            print_wrapped(self.advice)
        click.echo("\nNext:")
        last = (
            ("git traj log", "commits and their reasons"),
            ("git traj why FILE:LINE", "why a line is as it is"),
        )
        for command, purpose in (first, *last):
            click.echo(f"  {command:<22}  {purpose}")

    def _agrees(self, question: str) -> bool:
        return self.accept or (self.ask and click.confirm(question, default=True))

    def _backfill(self) -> None:
        from gittraj.commands.backfill.local_sessions import backfill

        try:
            with show_progress() as progress:
                report = backfill(self.repository, self.raw, progress=progress)
        except TrajError as error:  # the installation is done, and useful without it
            click.echo(f"git-traj: sessions were not linked: {error.one_line}", err=True)
            return
        say_remark(report.remark)
        commits = count(len({row.commit for row in report.linked}), "commit")
        print_wrapped(f"{count(report.sessions, 'session')} read, {commits} linked.")


def _ask_which(new: tuple[str, ...]) -> tuple[str, ...]:
    """Ask which of several agents to set up: all, none, or those whose names begin with the typed words."""
    answers = {"all": new, "yes": new, "y": new, "none": (), "no": (), "n": ()}
    while True:
        answer = click.prompt("Set up which (all, none, or names)", default="all").lower()
        words = answer.replace(",", " ").split()
        if len(words) == 1 and words[0] in answers:
            return answers[words[0]]
        wrong = [word for word in words if not any(name.startswith(word) for name in new)]
        if not wrong:
            return tuple(name for name in new if name.startswith(tuple(words)))
        print_wrapped(f"{', '.join(wrong)}: not one of {', '.join(new)}; all or none")


def _to_commits(sessions: int) -> str:
    return "it to its commits" if sessions == 1 else "them to their commits"


AGENTS = ("claude-code", "cline", "codex", "copilot", "gemini", "pi", "qwen")
"""The values of ``--agent``: agents with hooks or an instruction; listed here so that none is imported."""
_ALONE = (
    (
        "starter",
        ("agents", "no_fetch_refspec", "everywhere", "as_json"),
        "--action takes only --uses, --yes and --dry-run",
    ),
    (
        "everywhere",
        ("agents", "yes", "no_fetch_refspec"),
        "--global takes neither --agent nor --yes nor --no-fetch-refspec",
    ),
)
"""Options, the others that they cannot be combined with, and the error message."""


def _plugged_agents() -> list[str]:
    """The values of ``--agent``, with those of plug-ins."""
    from gittraj.agents import all_agents

    return [agent.option for agent in all_agents().values() if agent.hooks or agent.instructions]


@click.command("install")
@click.option(
    "--agent",
    "agents",
    multiple=True,
    type=Plugged(AGENTS, _plugged_agents),
    help="Also install this agent's hooks, if any, and its instruction in this work tree; repeatable.",
)
@click.option(
    "--action",
    "starter",
    is_flag=False,
    flag_value="pull-request",
    metavar="[WORKFLOW]",
    help="Write a workflow instead: pull-request (default), forks, forks-target, carry, gate or reusable; "
    "docs/pull-requests.md says what each is for.",
)
@click.option("--uses", metavar="OWNER/NAME@COMMIT", help="The Action that the workflow runs.")
@click.option(
    "--yes",
    is_flag=True,
    help="Do not ask: set up every agent found, link past sessions; with --action, write the workflow.",
)
@click.option("--no-fetch-refspec", is_flag=True, help="Do not change what git fetch downloads.")
@click.option(
    "--global", "everywhere", is_flag=True, help="Apply to every repository created or cloned from now on."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(*, agents: tuple[str, ...], starter: str | None, uses: str | None, **options: bool) -> int:
    """Set up this repository: the hooks that record, and the refspec that fetches records.

    On a terminal it asks which of the agents found on this machine get hooks of their own and an instruction,
    and whether to link past sessions; agents with a log are recorded without that, too. Hooks that are there
    already are kept and go on running. Safe to repeat.
    """
    given = {**options, "agents": bool(agents), "starter": starter is not None}
    for option, others, why in _ALONE:
        if given[option] and any(given[other] for other in others):
            raise click.UsageError(why)
    if uses and starter is None:
        raise click.UsageError("--uses needs --action")
    if starter is not None:
        return _write_workflow(starter, uses, yes=options["yes"], dry_run=options["dry_run"])
    if options["everywhere"]:
        from gittraj.commands.install.global_install import install_globally

        steps = install_globally(environment(), dry_run=options["dry_run"])
        return _report(steps, {}, dry_run=options["dry_run"], as_json=options["as_json"])
    return _install_here(agents, options)


def _install_here(agents: tuple[str, ...], options: Mapping[str, bool]) -> int:
    """Install in this repository; returns the exit status."""
    from gittraj.commands.install.discover import count_sessions, provide_key
    from gittraj.commands.install.install import install

    raw, dry_run, as_json, yes = environment(), options["dry_run"], options["as_json"], options["yes"]
    environ = Environ.of(raw)
    asks = _is_interactive() and environ.ci is None and not as_json
    ends_here = dry_run or as_json
    with find_repository() as repository:
        offer = Offer(repository, environ, raw, ask=asks and not yes, accept=yes, dry_run=dry_run)
        chosen = agents or offer.choose_agents()
        fetches = not options["no_fetch_refspec"]
        steps = install(repository, agents=chosen, fetch_refspec=fetches, dry_run=dry_run)
        make = (asks or yes) and environ.ci is None
        steps += provide_key(repository, environ, make=make, dry_run=dry_run)
        fresh = steps[0].did == "added"
        past = count_sessions(repository, environ) if fresh and ends_here else 0
        found = {"agentsFound": list(offer.agents), "sessionsFound": past}
        status = _report(steps, found, dry_run=dry_run, as_json=as_json, ahead=offer.preview(past))
        if not (status or ends_here):
            offer.follow_up(fresh=fresh)
    return status


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _report(
    steps: list[Step],
    found: dict[str, object],
    *,
    dry_run: bool,
    as_json: bool,
    ahead: Iterable[str] = (),
) -> int:
    """Print the steps, those with the same text on one line, and the lines ``ahead`` of what comes next; or
    the JSON document, with the fields ``found``. Returns the exit status."""
    if as_json:
        rows = [{"what": s.what, "name": s.name, "did": s.did, "text": s.text} for s in steps]
        click.echo(json.dumps({"version": 1, "dryRun": dry_run, "steps": rows, **found}))
    else:
        for (what, text), same in groupby(steps, lambda s: (s.what, s.text)):
            names = ", ".join(step.name for step in same)
            print_wrapped(text if what in ("state", "key") else f"{names}: {text}")
        for line in ahead:
            print_wrapped(line)
        if dry_run:
            click.echo("Nothing was written.")
    return int(any(step.did == "failed" for step in steps))


def _write_workflow(name: str, uses: str | None, *, yes: bool, dry_run: bool) -> int:
    """Show the workflow, and write it if the user agrees."""
    from gittraj.commands.install.workflow import STARTERS, make_starter

    if name not in STARTERS:
        raise click.UsageError(f"--action must be one of {', '.join(STARTERS)}")
    with find_repository() as repository:
        starter = make_starter(repository, name, uses=uses)
    click.echo(f"{starter.path}:\n\n{starter.text}")
    asks = _is_interactive()
    if dry_run or not (yes or (asks and click.confirm("Write it?"))):
        click.echo("Nothing was written." if dry_run or asks else "Nothing was written: --yes writes it.")
        return 0
    starter.write()
    click.echo(f"{starter.path} is written: read it, and commit it.")
    return 0
