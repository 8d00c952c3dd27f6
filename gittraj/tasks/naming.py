"""Finds the task that a text names, and its system; also ids such as ``ENG-456``: the key of a Linear team or
a Jira project, and a number. Reads only Beads' files and does not use the network: a drain may call it.

A wrong guess would be a false link: an ambiguous text is not linked, or is a plain task if a person named it.
This module only finds candidates; it must not decide what a record says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gittraj.model.values import TaskRef, TaskSource
from gittraj.tasks.system import TASKS, Site, System, one_line, system_names, system_of, systems

_KEY = r"[A-Z][A-Z0-9]{1,9}-[1-9][0-9]{0,6}"
_WHOLE = re.compile(_KEY)
_UPPER = re.compile(rf"(?<![A-Za-z0-9])({_KEY})(?![A-Za-z0-9])")
_LOWER = re.compile(r"(?:^|/)([a-z][a-z0-9]{1,6}-[1-9][0-9]{0,6})(?=-|$)")
# Standards, encodings and versions, frequent in branches and messages, and GitHub's own GH-12:
_OTHERS = re.compile(r"(?:UTF|ISO|IEEE|RFC|PEP|CVE|SHA|MD|AES|TLS|HTTP|IPV|ES|PY|PYTHON|RC|GH|V\d*)-.*")


def parse_key(text: str, *, loose: bool) -> str | None:
    """Return ``text`` in capitals if it is an id such as ``ENG-456``; ``loose``: also in small letters."""
    key = text.upper() if loose else text
    return key if _WHOLE.fullmatch(key) and (loose or not _OTHERS.fullmatch(key)) else None


def find_key(branch: str, *, small: bool = False) -> str | None:
    """Return the first id such as ``ENG-456`` in the name of a branch; with ``small``, also one in small
    letters, as in the names that Linear proposes: ``name/eng-456-the-title``."""
    keys = [*_UPPER.findall(branch), *(key.upper() for key in _LOWER.findall(branch) if small)]
    return next((key for key in keys if not _OTHERS.fullmatch(key)), None)


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
    """Return the task that a person names with ``text``: ``SYSTEM:ID``, an address, or an id. None without
    text.

    A text that no system recognizes is the title of a plain task; so is an id that may belong to two systems
    (``ENG-456`` with both Linear and Jira set up), unless ``traj.tasks`` names one of them.
    """
    text = one_line(text)
    if not text:
        return None
    if source := _spelled_out(text, site) or _recognize(text, site):
        return name_bare(source)
    return TaskRef(title=text, source=TaskSource(system="plain", id=text[:_ID]))


def from_branch(branch: str, site: Site) -> TaskRef | None:
    """Return the task that a branch is named after: ``feature/ENG-456-auth``, ``12-title``, ``bd-a1b2``."""
    branch = branch[:_ID].removeprefix("refs/heads/")
    source = _choose(lambda system: system.find(branch, site), site)
    return name_bare(source) if source else None


def from_trailers(message: str, site: Site) -> tuple[TaskRef, ...]:
    """Return the tasks that a commit's message names, first those that the commit closes: ``Fixes #12``,
    ``Refs: ENG-456``, ``Task: bd-a1b2``, ``Jira: PROJ-12``. A commit id or any other word does not count."""
    mentions = sorted(_mentions(message[:_MESSAGE], site), key=lambda pair: not pair[0])
    return tuple(map(name_bare, dict.fromkeys(source for _, source in mentions)))


def name_bare(source: TaskSource) -> TaskRef:
    """Return a task of which only the id is known, with its id as title."""
    prefix = "#" if source.system == "github" and source.id.isdecimal() else ""
    return TaskRef(title=prefix + source.id, source=source)


def _spelled_out(text: str, site: Site) -> TaskSource | None:
    """The task of a text of the form ``SYSTEM:ID``. An unknown system is accepted if the id is one word."""
    match = _SPELLED.fullmatch(text)
    if not match or (match[1] not in system_names() and " " in match[2]):
        return None
    if match[1] in system_names() and (source := system_of(match[1]).parse(match[2], site, named=True)):
        return source
    return TaskSource(system=match[1], id=match[2][:_ID])


def _recognize(text: str, site: Site) -> TaskSource | None:
    """The task whose address or id is ``text``: any system's address, or an id of a system in use."""
    if "://" not in text:
        return _choose(lambda system: system.parse(text, site), site)
    parsed = (system.parse(text, site) for system in systems() if system.name != "plain")
    return next(filter(None, parsed), None)


def _choose(ask: Callable[[System], TaskSource | None], site: Site) -> TaskSource | None:
    """Return the task that ``ask`` gets from the preferred system, else from one that the repository itself
    shows to be in use, else from the only one that has an answer."""
    answers = [(system, source) for system in _systems_in_use(site) if (source := ask(system))]
    for system, source in answers:
        if system.name == site.preferred:
            return source
    local = [source for system, source in answers if system.local]
    if local or site.preferred == "plain":
        return local[0] if local else None
    return answers[0][1] if len(answers) == 1 else None


def _systems_in_use(site: Site) -> Iterator[System]:
    for system in systems():
        if system.name != "plain" and (system.is_here(site) or system.name == site.preferred):
            yield system


def _mentions(message: str, site: Site) -> Iterator[tuple[bool, TaskSource]]:
    """Yield the tasks in a message in their order, as pairs: whether the commit closes the task, the task."""
    last_paragraph = message.rstrip().rpartition("\n\n")[2]
    for line in last_paragraph.splitlines():
        if match := _TRAILER.fullmatch(line.strip()):
            key, value = match[1].lower(), one_line(match[2])
            closing = re.fullmatch(_CLOSING, key) is not None
            for source in _values(key, value, site):
                yield closing, source
    for match in _PROSE.finditer(message):
        if task := _recognize(_bare_word(match[2]), site):
            yield match[1] is not None, task


def _values(key: str, value: str, site: Site) -> Iterator[TaskSource]:
    """Yield the tasks of a trailer; only ``Task:`` may name a plain one."""
    sources: list[TaskSource] = []
    for word in filter(None, map(_bare_word, re.split(r"[\s,]+", value))):
        text = f"{key}:{word}" if key in _SYSTEMS else word
        names_system = text.startswith(tuple(f"{name}:" for name in _SYSTEMS))
        if source := (names_system and _spelled_out(text, site)) or _recognize(word, site):
            sources.append(source)
    yield from sources
    if key == "task" and not sources:
        yield TaskSource(system="plain", id=value[:_ID])


def _bare_word(word: str) -> str:
    return word.strip("()[]<>{}.,;:!?'\"`*")
