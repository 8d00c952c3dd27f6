"""Describes a session as a whole, from its log: its agent, task and run, and how it ended."""

from __future__ import annotations

from gittraj.capture.session import Log
from gittraj.model.values import (
    Environment,
    Exit,
    Parent,
    Participant,
    Retrospective,
    Run,
    SessionInfo,
    TaskRef,
    TaskSource,
)


def describe(
    log: Log, *, title: str | None, ci: str | None, retrospective: Retrospective | None
) -> SessionInfo:
    """Describe a trajectory. If its session worked in other repositories, too, its task, tags, participants
    and stated status are left out: they may be about one of these repositories."""
    entrypoint = log.fact("entrypoint")
    here = "elsewhere" not in log.places
    return SessionInfo(
        title=title,
        agent=log.agent,
        agent_version=log.fact("agent_version"),
        models=tuple(map(str, log.facts.get("model", ()))),
        session=log.session,
        task=_find_task(log) if here else None,
        tags=tuple(map(str, log.facts.get("tag", ()))) if here else (),
        participants=tuple(map(_participant, log.facts.get("participant", ()))) if here else (),
        parent=Parent(id=log.parent) if log.parent else None,
        aliases=tuple(map(str, log.facts.get("alias", ()))),
        environment=Environment(entrypoint=entrypoint, ci=ci) if entrypoint or ci else None,
        run=find_run(log),
        status=(log.fact("ended") if here else None) or log.fact("status"),
        exit=_find_exit(log),
        retrospective=retrospective,
    )


def _find_task(log: Log) -> TaskRef | None:
    """The task that the log states; its fact ``task`` is ``SYSTEM:ID``, as a person writes it."""
    title, url, name = map(log.fact, ("task_title", "task_url", "task"))
    system, _, task = (name or "").partition(":")
    source = TaskSource(system="url", id=url, url=url) if url else None
    if name:
        source = TaskSource(system=system if task else "plain", id=task or name, url=url)
    return TaskRef(title=title or name or str(url), source=source) if source or title else None


def find_run(log: Log) -> Run | None:
    """The benchmark run that the log is from, if it is from one."""
    run, instance = log.fact("run"), log.fact("instance")
    messages, calls = log.fact("messages"), log.fact("api_calls")
    if not (run or instance):
        return None
    return Run(
        id=run or log.session,
        solve=log.fact("solve"),
        instance=instance,
        messages=to_int(messages),
        api_calls=to_int(calls),
    )


def _find_exit(log: Log) -> Exit | None:
    status, text, error = map(log.fact, ("exit_status", "submission", "exit_error"))
    return Exit(status=status, submission=text, error=error) if status or text or error else None


def _participant(value: str | float) -> Participant:
    name, _, role = str(value).partition(":")
    return Participant(name=name, role=role or None)


def to_int(number: str | None) -> int | None:
    try:
        return int(float(number)) if number else None
    except OverflowError:  # infinite: not a real count
        return None
