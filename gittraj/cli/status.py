"""``git traj status``.

``--json``: ``{"version": 1, "installed": bool, "since": time|null, "paused": time|null, "off": bool,
"hooks": {"folder", "refused": reason|null, "configured": bool, "states": [{"name", "state", "path"}]},
"agents": [{"name", "state", "path"}],
"sessions": [{"agent", "id", "title"|null, "waiting": events}], "active": [{"id", "title"|null,
"agent"|null, "byHand", "events"}], "parked": parts, "waiting": [commit],
"unlinked": [commit], "withoutHook": [commit]|null, "recorded": commits, "unstamped": parts,
"exposed": [trajectory],
"stranded": [commit], "remotes": [{"name", "unpushed": notes|null, "unfetched": notes|null}]|null,
"thinking"|null, "sealing": {"readers", "trusted": bool, "remark"|null}|null,
"config": {key: {"value", "source"}}|null, "complaints": [text]}``. A state is ``installed``,
``chained`` (another tool runs our hook), ``missing``, ``foreign``, ``dead``, ``damaged`` or ``off``; of an
agent's hooks also ``changed`` or ``untrusted``. Times are ISO 8601 UTC.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from gittraj.cli.commands import COMMANDS
from gittraj.cli.repository import drain_first, environment, find_repository
from gittraj.config import Environ
from gittraj.events.part_summary import shorten

if TYPE_CHECKING:
    from gittraj.commands.doctor import Facts
    from gittraj.commands.install.inspection import AgentState
    from gittraj.seal.readers import Readers


@click.command("status", short_help=COMMANDS["what people need"]["status"])
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(as_json: bool) -> None:
    """What is captured in this repository, what waits, and what is in force."""
    from gittraj.commands.doctor import gather

    with find_repository() as repository:
        drain_first(repository)
        facts = gather(repository, Environ.of(environment()))
    if as_json:
        click.echo(json.dumps(to_json(facts)))
        return
    for line in tell(facts):
        click.echo(plain(line))


def to_json(facts: Facts) -> dict[str, Any]:
    settings = facts.config.settings or {} if facts.config else {}
    return {
        "version": 1,
        "installed": facts.since is not None,
        "since": _time(facts.since),
        "paused": _time(facts.paused),
        "off": facts.off,
        "hooks": {
            "folder": str(facts.folder.path),
            "refused": facts.folder.refused,
            "configured": facts.folder.configured,
            "states": [{"name": h.name, "state": h.state, "path": str(h.path)} for h in facts.hooks],
        },
        "agents": [{"name": a.name, "state": a.state, "path": str(a.path)} for a in facts.agents],
        "sessions": [
            {"agent": s.agent, "id": s.session, "title": s.title, "waiting": s.waiting}
            for s in facts.sessions
        ],
        "active": [
            {
                "id": h.trajectory,
                "title": h.title,
                "agent": h.agent,
                "byHand": h.by_hand,
                "events": len(a.events),
            }
            for a in facts.actives
            for h in (a.header,)
        ],
        "parked": facts.parked,
        "waiting": list(facts.waiting),
        "unlinked": list(facts.unlinked),
        "withoutHook": None if facts.without_hook is None else list(facts.without_hook),
        "recorded": facts.recorded,
        "unstamped": facts.unstamped,
        "exposed": list(facts.exposed),
        "stranded": list(facts.stranded),
        "remotes": [{"name": r.name, "unpushed": r.unpushed, "unfetched": r.unfetched} for r in facts.remotes]
        or None,
        "thinking": facts.config.thinking if facts.config else None,
        "sealing": {
            "readers": len(facts.readers.recipients),
            "trusted": facts.readers.trusted,
            "remark": facts.readers.remark,
        }
        if facts.readers
        else None,
        "config": {k: {"value": s.value, "source": s.source} for k, s in settings.items()}
        if facts.config
        else None,
        "complaints": [error.message for error in facts.complaints],
    }


_TITLE = 60  # characters


def tell(facts: Facts) -> Iterator[str]:
    """A line for each thing that is so; nothing for what is not."""
    if facts.since is None and not facts.complaints:
        team = ": .gittraj.yml says that this project records" if facts.team else ""
        yield f"git-traj is not installed here (git traj install){team}"
    elif facts.off or facts.paused is not None:
        yield "Off for this command (GIT_TRAJ=0)" if facts.off else f"Paused since {_time(facts.paused)}"
    yield f"Recorded: trajectories on {_count(facts.recorded, 'commit')}"
    if facts.since is not None:
        yield f"Hooks: {_hooks(facts)}"
    yield from map(_agent, facts.agents)
    for session in facts.sessions:
        waits = f", {_count(session.waiting, 'event')} waiting for a commit" if session.waiting else ""
        title = shorten(session.title or "", _TITLE)
        yield f"Live: {session.agent} {session.session[:8]} {title}".rstrip() + waits
    for active in facts.actives:
        title = shorten(active.header.title or "", _TITLE)
        begun = "Begun by hand" if active.header.by_hand else f"Recorded in {active.header.agent}"
        told = f"{begun}: {active.header.trajectory} {title}".rstrip()
        yield f"{told}, {_count(len(active.events), 'event')} waiting for a commit"
    for count, words in (
        (len(facts.waiting), "waiting for its agent's log"),
        (len(facts.unlinked), "of an agent without a record (git traj link)"),
        (len(facts.without_hook or ()), "made without a hook, found by the reflog"),
        (len(facts.stranded), "that nothing reaches any more, with records of its own (git traj repair)"),
    ):
        if count:
            yield f"{_count(count, 'commit')} {words}"
    yield from _redaction(facts)
    for remote in facts.remotes:
        if remote.unpushed or remote.unfetched:
            yield f"{remote.name}: {remote.unpushed} to push, {remote.unfetched} to merge"
    if facts.config is not None:
        for key, setting in (facts.config.settings or {}).items():
            sealed = _sealing(facts.readers) if key == "thinking" and facts.readers else ""
            yield f"{key.capitalize()}: {setting.value} ({setting.source}){sealed}"
    for error in facts.complaints:
        yield f"Wrong: {error.message} (git traj doctor)"


def _redaction(facts: Facts) -> Iterator[str]:
    if facts.parked:
        yield f"{_count(facts.parked, 'part')} parked: could not be redacted, so not stored"
    if facts.unstamped:
        yield f"{_count(facts.unstamped, 'part')} redacted by older rules, not pushed yet"
    if facts.exposed:
        yield f"Rotate: a secret became known that was pushed before, in {', '.join(facts.exposed)}"


def _sealing(readers: Readers) -> str:
    number = len(readers.recipients)
    told = f", for {_count(number, 'reader')}" if number else ""
    return f"{told}; {readers.remark}" if readers.remark else told


def _hooks(facts: Facts) -> str:
    if facts.folder.refused:
        return f"none, {facts.folder.refused}"
    ill = [f"{h.name} {h.state}" for h in facts.hooks if h.state not in ("installed", "chained")]
    where = "by git's configuration, " if facts.folder.configured else ""
    return f"{', '.join(ill)} (git traj doctor)" if ill else f"well, {where}in {facts.folder.path}"


def _agent(agent: AgentState) -> str:
    well = "well" if agent.state == "installed" else f"{agent.state} (git traj doctor)"
    return f"Hooks of {agent.name}: {well}, in {agent.path}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def plain(text: str) -> str:
    """What an agent wrote may hold a terminal's escapes."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
