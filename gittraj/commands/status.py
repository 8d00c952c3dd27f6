"""Reports the state of a repository for ``git traj status``: as lines for people, as JSON for scripts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gittraj.events.part_summary import shorten
from gittraj.model.values import Decided, NoteEvent
from gittraj.model.words import NO_COMMIT, count, participants, task, unmarked
from gittraj.query.account import spell
from gittraj.query.notes import name_over
from gittraj.render.text.log import ago

if TYPE_CHECKING:
    from gittraj.commands.doctor.facts import Facts
    from gittraj.commands.install.inspection import AgentState
    from gittraj.config import Config
    from gittraj.seal.readers import Readers
    from gittraj.state.active import Active


def status_to_json(facts: Facts) -> dict[str, Any]:
    """Return the document that ``git traj status --json`` prints."""
    return {
        "version": 1,
        "installed": facts.since is not None,
        "since": _time(facts.since),
        "paused": _time(facts.paused),
        "off": facts.off,
        "hooks": _hooks_to_json(facts),
        "agents": [{"name": a.name, "state": a.state, "path": str(a.path)} for a in facts.agents],
        "sessions": [
            {"agent": s.agent, "id": s.session, "status": s.status, "title": s.title, "waiting": s.waiting}
            for s in facts.sessions
        ],
        "active": [_active_to_json(active) for active in facts.actives],
        "parked": facts.parked,
        "waiting": list(facts.waiting),
        "unlinked": list(facts.unlinked),
        "withoutHook": None if facts.without_hook is None else list(facts.without_hook),
        "recorded": facts.recorded.listed,
        "traced": facts.recorded.traced,
        "recordedElsewhere": facts.recorded.number - facts.recorded.listed,
        "recordedBeside": dict(facts.beside),
        "unstamped": facts.unstamped,
        "exposed": list(facts.exposed),
        "stranded": list(facts.recorded.stranded),
        "remotes": [{"name": r.name, "unpushed": r.unpushed, "unfetched": r.unfetched} for r in facts.remotes]
        or None,
        "withoutRefspec": list(facts.unfetching),
        "thinking": facts.config.thinking if facts.config else None,
        "sealing": _sealing_to_json(facts.readers) if facts.readers else None,
        "config": _config_to_json(facts.config) if facts.config else None,
        "summarizer": _summarizer_to_json(facts),
        "plugins": [{"name": name, "leftOut": why} for name, why in facts.plugins.items()],
        "ruleFiles": list(facts.rule_files),
        "complaints": _damage(facts),
    }


def _hooks_to_json(facts: Facts) -> dict[str, Any]:
    return {
        "folder": str(facts.folder.path),
        "refused": facts.folder.refused,
        "configured": facts.folder.configured,
        "states": [
            {"name": h.name, "state": h.state, "path": str(h.path), "old": h.is_old} for h in facts.hooks
        ],
    }


def _sealing_to_json(readers: Readers) -> dict[str, Any]:
    return {"readers": len(readers.recipients), "trusted": readers.trusted, "remark": readers.remark}


def _config_to_json(config: Config) -> dict[str, Any]:
    settings = (config.settings or {}).items()
    return {name: {"value": setting.value, "source": setting.source} for name, setting in settings}


def _active_to_json(active: Active) -> dict[str, Any]:
    header = active.header
    return {
        "id": header.trajectory,
        "title": header.title,
        "agent": header.agent,
        "byHand": header.by_hand,
        "events": len(active.events),
        "startedAt": header.started_at,
        "task": spell(header.task),
        "participants": spell(header.participants),
        "chapter": _chapter(active),
        "decisions": [e.decision.chosen for e in active.events if isinstance(e, Decided)],
    }


def _chapter(active: Active) -> str | None:
    """Return the title of the latest chapter."""
    titles = (e.content for e in reversed(active.events) if isinstance(e, NoteEvent) and e.kind == "chapter")
    return next(titles, None)


def _describe_active(active: Active) -> Iterator[str]:
    """Yield a line each for the task, participants, chapter and decisions of a trajectory."""
    row = _active_to_json(active)
    if name := task(row):
        yield f"  Task: {name}"
    if names := participants(row):
        yield f"  Agents: {names}"
    if row["chapter"]:
        yield f"  Chapter: {shorten(row['chapter'], _TITLE)}"
    if chosen := row["decisions"]:
        yield f"  Decisions: {len(chosen)}, the last: {shorten(chosen[-1], _TITLE)}"


def _summarizer_to_json(facts: Facts) -> dict[str, Any] | None:
    setting, runs = facts.summarizer, facts.runs
    if setting is None:
        return None
    today = {"runs": runs.number, "runsADay": setting.runs_a_day, "failed": runs.failed}
    return {"command": setting.command, "source": setting.source, **today}


_TITLE = 60  # characters
_WAITING = {
    **dict.fromkeys(("active", "idle"), "on no commit yet"),
    "ended": "on no commit (git traj link puts them on one; listed here for a day)",
}


def status_to_lines(facts: Facts) -> Iterator[str]:
    """Yield a line for each state that applies. Titles are not escaped."""
    yield from (*_recording(facts), *_work(facts))
    for name in facts.unfetching:
        yield f"{name}: git fetch does not bring its records (git traj doctor --fix)"
    yield from (*_shared(facts), *_settings(facts))
    for name, why in facts.plugins.items():
        yield f"Plug-in: {name}{f', left out: {why}' if why else ''}"
    yield from _complaints(facts)


def overview_to_lines(facts: Facts) -> Iterator[str]:
    """Yield how many commits are recorded, what is pending, and the state of hooks only if it is wrong."""
    yield from (
        line for line in _recording(facts) if not line.startswith("Hooks") or "(git traj doctor)" in line
    )
    yield from (*_work(facts), *_shared(facts), *_complaints(facts))


def _settings(facts: Facts) -> Iterator[str]:
    settings = facts.config.settings if facts.config else None
    for key, setting in (settings or {}).items():
        if key != "thinking" or not facts.readers:
            yield f"{key.capitalize()}: {setting.value} ({setting.source})"
        elif facts.since is not None:
            yield f"Thinking: {_sealing(facts.readers)}"
    if facts.summarizer:
        done = f"{facts.runs.number} of {facts.summarizer.runs_a_day} runs today"
        failed = f"; the last failed: {facts.runs.failed}" if facts.runs.failed else ""
        yield f"Summaries: by {facts.summarizer.command} ({facts.summarizer.source}), {done}{failed}"


def _work(facts: Facts) -> Iterator[str]:
    yield from (*_open_work(facts), *_commits(facts), *_redaction(facts))


def _complaints(facts: Facts) -> Iterator[str]:
    for message in _damage(facts):
        yield f"Wrong: {message} (git traj doctor)"


def _damage(facts: Facts) -> list[str]:
    over = facts.recorded.over
    return [*(error.message for error in facts.complaints), *([name_over(over)] if over else [])]


def _shared(facts: Facts) -> Iterator[str]:
    for remote in facts.remotes:
        # records that are not joined are listed by ``_recorded``
        unjoined = remote.unfetched if remote.name not in facts.beside else 0
        pending = (
            (remote.unpushed, "to push (git traj push)"),
            (unjoined, "to join (git traj fetch)"),
        )
        texts = [f"records of {count(number, 'commit')} {todo}" for number, todo in pending if number]
        yield from (f"{remote.name}: {', '.join(texts)}",) if texts else ()


def _recording(facts: Facts) -> Iterator[str]:
    """Yield whether recording is on, how many commits are recorded, and the state of the hooks."""
    if facts.since is None and not facts.complaints:
        team = ": .gittraj.yml says that this project records" if facts.team else ""
        yield f"git-traj is not set up here (git traj install){team}"
    elif facts.off or facts.paused is not None:
        when = ago(_time(facts.paused), datetime.now(UTC))
        yield "Off for this command (GIT_TRAJ=0)" if facts.off else f"Paused {when} (git traj resume)"
    yield from _recorded(facts)
    if facts.since is not None:
        yield f"Hooks: {_hooks(facts)}"
    yield from map(_agent, facts.agents)


def _recorded(facts: Facts) -> Iterator[str]:
    """Yield how many commits have records, also on other branches and on remotes."""
    recorded = facts.recorded
    other = f", {recorded.branched} more on other branches (git traj log BRANCH)" if recorded.branched else ""
    if recorded.explored:
        other += f", {recorded.explored} more with work that {NO_COMMIT} (git traj log --all)"
    if facts.deleted:
        yield f"Deleted or overwritten: {', '.join(facts.deleted)} (git traj doctor --fix restores it)"
    if recorded.listed or not (facts.beside or facts.deleted):
        yield f"Recorded: trajectories on {count(recorded.listed, 'commit')}{other}"
    for name, number in facts.beside.items():
        if recorded.listed:
            yield f"Not joined yet: records of {name} on {count(number, 'commit')} (git traj fetch {name})"
        else:
            records = f"Recorded: trajectories of {name} on {count(number, 'commit')}"
            yield f"{records} (git traj fetch {name} joins them){other}"
    if facts.shallow:
        yield "Shallow clone: what older commits did is not known here (git fetch --unshallow)"


def _open_work(facts: Facts) -> Iterator[str]:
    """Yield the live sessions, and the trajectories with events that are not on a commit yet."""
    for session in facts.sessions:
        waits = f", {count(session.waiting, 'event')} {_WAITING[session.status]}" if session.waiting else ""
        title = shorten(unmarked(session.title or ""), _TITLE)
        # the first eight characters of Codex's ids are a time, to the minute
        name = f"{session.agent} {session.session[:13]} {title}".rstrip()
        # it is not known whether the session's process still runs
        state = "Active lately" if session.status == "active" else session.status.capitalize()
        yield f"{state}: {name}{waits}"
    for active in facts.actives:
        title = shorten(active.header.title or "", _TITLE)
        origin = "Started by hand" if active.header.by_hand else f"Recorded in {active.header.agent}"
        name = f"{origin}: {active.header.trajectory} {title}".rstrip()
        yield f"{name}, {count(len(active.events), 'event')} waiting for a commit"
        yield from _describe_active(active)


def _commits(facts: Facts) -> Iterator[str]:
    stranded = len(facts.recorded.stranded)
    for number, text in (
        (facts.recorded.traced, "made in a shell that an agent opened; who made it is not known"),
        (len(facts.waiting), "waiting for an agent's log"),
        (len(facts.unlinked), "by an agent, without a record (git traj link)"),
        (len(facts.without_hook or ()), "found later, without a hook"),
        (stranded, "no longer reachable, with records that no other commit has (git traj repair)"),
    ):
        if number:
            yield f"{count(number, 'commit')} {text}"


def _redaction(facts: Facts) -> Iterator[str]:
    if facts.parked:
        yield f"{count(facts.parked, 'part')} not stored, because redaction failed"
    if facts.unstamped:
        yield f"{count(facts.unstamped, 'part')} redacted by older rules, not pushed yet"
    for remark in facts.rule_files:
        yield f"Rule file {remark}"
    if facts.exposed:
        yield f"Rotate: a secret that was already pushed became known, in {', '.join(facts.exposed)}"


def _sealing(readers: Readers) -> str:
    remark = readers.remark or ""
    if remark.startswith("thinking is "):
        return remark.removeprefix("thinking is ")
    return f"sealed for {count(len(readers.recipients), 'reader')}{remark and f'; {remark}'}"


def _hooks(facts: Facts) -> str:
    if facts.folder.refused:
        return f"none, {facts.folder.refused}"
    problems = [f"{h.name} {h.state}" for h in facts.hooks if h.state not in ("installed", "chained")]
    old = any(h.is_old for h in facts.hooks)
    renew = "; of another version: git traj install renews them" if old else ""
    where = "by git's configuration, " if facts.folder.configured else ""
    return (
        f"{', '.join(problems)} (git traj doctor)"
        if problems
        else f"OK, {where}in {facts.folder.path}{renew}"
    )


def _agent(agent: AgentState) -> str:
    state = "OK" if agent.state == "installed" else f"{agent.state} (git traj doctor)"
    return f"Hooks of {agent.name}: {state}, in {agent.path}"


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
