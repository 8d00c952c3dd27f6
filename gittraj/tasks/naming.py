"""Finds the task that a text names, and its system; also ids such as ``ENG-456``, the key of a Linear team or
a Jira project and a number. Pure except for Beads' files; no network, so a drain may use it.

A wrong guess would be a false link: an ambiguous text stays unlinked, or a plain task if a person named it.
It must not decide what a record says; it only finds candidates.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gittraj.model.values import TaskRef, TaskSource
from gittraj.tasks.system import TASKS, Site, System, known, one_line, system_of, systems

_KEY = r"[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,6}"
_WHOLE = re.compile(_KEY)
_UPPER = re.compile(rf"(?<![A-Za-z0-9])({_KEY})(?![A-Za-z0-9])")
_LOWER = re.compile(r"(?:^|/)([a-z][a-z0-9]{1,6}-[1-9][0-9]{0,6})(?=-|$)")
# Standards, encodings and versions, frequent in branches and messages, and GitHub's own GH-12:
_OTHERS = re.compile(r"(?:UTF|ISO|IEEE|RFC|PEP|CVE|SHA|MD|AES|TLS|HTTP|IPV|ES|PY|PYTHON|RC|GH|V\d*)-.*")


def parse_key(text: str, *, loose: bool = False) -> str | None:
    """Return ``text`` in capitals if it is such an id; ``loose``: also in small letters."""
    key = text.upper() if loose else text
    return key if _WHOLE.fullmatch(key) and (loose or not _OTHERS.fullmatch(key)) else None


def find_key(branch: str, *, small: bool = False) -> str | None:
    """The first such id in the name of a branch; ``small``: also in small letters, as in the names that
    Linear proposes, ``name/eng-456-the-title``."""
    found = [*_UPPER.findall(branch), *(key.upper() for key in _LOWER.findall(branch) if small)]
    return next((key for key in found if not _OTHERS.fullmatch(key)), None)


_SPELLED = re.compile(r"([a-z][a-z0-9_-]*):(?!//)(\S.*)")
_ID = 200  # characters of an id, of any system
_MESSAGE = 100_000  # characters of a message that are read
_CLOSING = r"clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|complet(?:e[sd]?|ing)"
_REFERRING = r"refs?|references?|part[ -]of|relate[sd][ -]to|contributes[ -]to"
# GitHub's keywords, and Linear's, which has more
_PROSE = re.compile(rf"\b(?:({_CLOSING})|{_REFERRING}):?[ \t]+(\S+)", re.IGNORECASE)
_SYSTEMS = tuple(name for name in TASKS if name != "plain")
_NAMING = ("task", "issue", "ticket", "bug", *_SYSTEMS)
_TRAILER = re.compile(rf"({_CLOSING}|{_REFERRING}|{'|'.join(_NAMING)})[ \t]*:[ \t]*(\S.*)", re.IGNORECASE)


def detect(text: str, site: Site) -> TaskRef | None:
    """The task that a person names by ``text``: ``SYSTEM:ID``, an address, or an id. None without text.

    A text that no system knows is a plain task of that name; so is an id that may belong to two (``ENG-456``
    with both Linear and Jira set up), unless ``traj.tasks`` decides.
    """
    text = one_line(text)
    if not text:
        return None
    source = _spelled_out(text, site) or _claim(text, site)
    return (
        name_bare(source) if source else TaskRef(title=text, source=TaskSource(system="plain", id=text[:_ID]))
    )


def from_branch(branch: str, site: Site) -> TaskRef | None:
    """The task that a branch is named after: ``feature/ENG-456-auth``, ``12-the-title``, ``bd-a1b2``."""
    branch = branch[:_ID].removeprefix("refs/heads/")
    source = _choose(lambda system: system.find(branch, site), site)
    return name_bare(source) if source else None


def from_trailers(message: str, site: Site) -> tuple[TaskRef, ...]:
    """The tasks that a commit's message names, those first that it closes: ``Fixes #12``, ``Refs: ENG-456``,
    ``Task: bd-a1b2``, ``Jira: PROJ-12``. A commit id or a word after ``Fixes:`` does not count."""
    found = sorted(_mentions(message[:_MESSAGE], site), key=lambda pair: not pair[0])
    return tuple(map(name_bare, dict.fromkeys(source for _, source in found)))


def name_bare(source: TaskSource) -> TaskRef:
    """A task of which only the id is known."""
    sign = "#" if source.system == "github" and source.id.isdecimal() else ""
    return TaskRef(title=sign + source.id, source=source)


def _spelled_out(text: str, site: Site) -> TaskSource | None:
    found = _SPELLED.fullmatch(text)
    if not found or (found[1] not in known() and " " in found[2]):
        return None
    if found[1] in known() and (source := system_of(found[1]).parse(found[2], site, named=True)):
        return source
    return TaskSource(system=found[1], id=found[2][:_ID])


def _claim(text: str, site: Site) -> TaskSource | None:
    if "://" not in text:
        return _choose(lambda system: system.parse(text, site), site)
    parsed = (system.parse(text, site) for system in systems() if system.name != "plain")
    return next(filter(None, parsed), None)


def _choose(ask: Callable[[System], TaskSource | None], site: Site) -> TaskSource | None:
    """The answer of one of the systems in use here: the preferred one, else one that is set up in the
    repository itself, else the only one."""
    used = [s for s in systems() if s.name != "plain" and (s.is_here(site) or s.name == site.preferred)]
    named = {system.name: (system, source) for system in used if (source := ask(system))}
    if site.preferred in named:
        return named[site.preferred][1]
    shown = [source for system, source in named.values() if system.local]
    others = [source for system, source in named.values() if not system.local]
    if shown or site.preferred == "plain":
        return shown[0] if shown else None
    return others[0] if len(others) == 1 else None


def _mentions(message: str, site: Site) -> Iterator[tuple[bool, TaskSource]]:
    """The tasks in a message, in order, each with whether the message closes it."""
    last = message.rstrip().rpartition("\n\n")[2]
    for line in last.splitlines():
        if found := _TRAILER.fullmatch(line.strip()):
            key, value = found[1].lower(), one_line(found[2])
            closing = re.fullmatch(_CLOSING, key) is not None
            for source in _values(key, value, site):
                yield closing, source
    for found in _PROSE.finditer(message):
        if claimed := _claim(_bare_word(found[2]), site):
            yield found[1] is not None, claimed


def _values(key: str, value: str, site: Site) -> Iterator[TaskSource]:
    """The tasks of a trailer; only ``Task:`` may name one of no system."""
    sources: list[TaskSource] = []
    for word in filter(None, map(_bare_word, re.split(r"[\s,]+", value))):
        text = f"{key}:{word}" if key in _SYSTEMS else word
        spelled = (
            _spelled_out(text, site) if text.startswith(tuple(f"{name}:" for name in _SYSTEMS)) else None
        )
        if source := spelled or _claim(word, site):
            sources.append(source)
    yield from sources
    if key == "task" and not sources:
        yield TaskSource(system="plain", id=value[:_ID])


def _bare_word(word: str) -> str:
    return word.strip("()[]<>{}.,;:!?'\"`*")
