"""What ``git traj install`` offers: the agents found, their past sessions, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click

from gittraj.cli.common.output import print_wrapped
from gittraj.config import Environ
from gittraj.errors import TrajError
from gittraj.git import Repository
from gittraj.model.words import count


class Offer:
    """The questions of one installation. ``ask``: on a terminal; ``accept``: the answer is yes without it;
    with neither, nothing is done that was not asked for; ``dry_run``: questions are only told.
    ``agents``: the options of those found."""

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
        self.left: str | None = None

    def choose_agents(self) -> tuple[str, ...]:
        """Which of the agents found, that are not set up in this work tree yet, to set up."""
        from gittraj.commands.install.discover import find_new_agents

        if not self.agents:
            self.left = "No agent to set up was found here: agents are recognised when they start to work"
        new = find_new_agents(self.repository, self.agents)
        names = ", ".join(new)
        if not new or self.accept:
            return new
        if not self.ask:
            self.left = f"On this machine: {names} (git traj install --agent NAME sets one up, --yes all)"
            return ()
        if self.dry_run:
            print_wrapped(f"Would ask which of the agents on this machine to set up: {names}.")
            return new
        print_wrapped(f"On this machine: {names}.")
        print_wrapped(
            "Each can get hooks in its settings here, and an instruction on how to record decisions."
        )
        print_wrapped("Without that commits are recorded too, but not decisions that the log does not say.")
        if len(new) == 1:
            return new if click.confirm(f"Set up {names}?", default=True) else ()
        while True:
            answer = click.prompt("Set up which (all, none, or names)", default="all").replace(",", " ")
            chosen = {"all": new, "none": ()}.get(answer.strip(), tuple(answer.split()))
            wrong = [name for name in chosen if name not in new]
            if not wrong:
                return chosen
            print_wrapped(f"{', '.join(wrong)}: not one of {names}")

    def count_sessions(self) -> int:
        """Past sessions of this repository."""
        from gittraj.commands.install.discover import count_sessions

        return count_sessions(self.repository, self.environ)

    def preview(self, past: int) -> Iterator[str]:
        """What the installation would go on to do or ask, with ``past`` sessions found."""
        if past:
            would = "would link" if self.accept else "would ask whether to link" if self.ask else ""
            goes = f"{would} to" if would else "git traj backfill links to"
            yield f"{count(past, 'session')} of this repository found: {goes} the commits made there"
        if self.left:
            yield self.left

    def follow_up(self, *, fresh: bool) -> None:
        """After a ``fresh`` installation offer the past sessions and the remotes' records; then the next
        steps."""
        past = self.count_sessions() if fresh else 0
        first = "git commit", "work with your agent as usual, and let it commit"
        if past:
            found = f"{count(past, 'session')} of this repository {'were' if past > 1 else 'was'} found"
            if self._agrees(f"{found}: link to the commits made there?"):
                self._backfill()
            else:
                first = "git traj backfill", f"{found}: link to the commits made there"
        elif not self._has_records() and self.repository.run("remote").out:
            first = "git traj fetch", "get the records that your team shares"
        if self.left:
            print_wrapped(self.left)
        click.echo("\nNext:")
        last = (
            ("git traj log", "commits and their reasons"),
            ("git traj why FILE:LINE", "why a line is as it is"),
        )
        for command, purpose in (first, *last):
            click.echo(f"  {command:<22}  {purpose}")

    def _agrees(self, question: str) -> bool:
        return self.accept or (self.ask and click.confirm(question, default=True))

    def _has_records(self) -> bool:
        from gittraj.notes.store import NotesRef

        return NotesRef(self.repository).tip() is not None

    def _backfill(self) -> None:
        from gittraj.cli.common.progress import show_progress
        from gittraj.cli.common.repository import say_remark
        from gittraj.commands.backfill import backfill

        try:
            with show_progress() as progress:
                report = backfill(self.repository, self.raw, progress=progress)
        except TrajError as error:  # the installation is done, and of use
            click.echo(f"git-traj: sessions were not linked: {error.told}", err=True)
            return
        say_remark(report.remark)
        commits = count(len({row.commit for row in report.linked}), "commit")
        print_wrapped(f"{count(report.sessions, 'session')} read, {commits} linked.")
