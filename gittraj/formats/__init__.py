"""One reader per log format: bytes of a session in, items of :mod:`gittraj.model.session_items` out.

A reader decides by content, streams, and never raises, whatever a log contains. It does not know
repositories, commits or notes, never opens another file, and writes nothing. A new format is one
module, one line here, one test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast, get_args

from gittraj import plugins
from gittraj.errors import FormatError
from gittraj.model.session_items import START, Cursor, Item
from gittraj.plugins import Returns, Shape

HEAD = 65536
"""How many bytes of a file's beginning ``detect`` gets."""


class Reader(Protocol):
    """Reads one format. ``name`` is the format's name, ``agent`` that of the agent that writes it."""

    name: str
    agent: str

    def detect(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` (about :data:`HEAD` bytes) has this format."""
        ...

    def read(self, stream: BinaryIO, *, session: str | None = None, cursor: Cursor = START) -> Iterator[Item]:
        """Yield the items of a log from ``cursor`` on, in the log's order.

        ``session`` is the session id from the file's name. Before every human prompt of a log that only grows
        comes a :class:`~gittraj.model.session_items.Mark`: reading from its cursor gives exactly the items
        after it. A format without marks is always read from its start.

        Raises:
            FormatError: the bytes before the cursor are not those that it was made for.
        """
        ...


class Store(Protocol):
    """A container of several sessions: a database, a folder, a file to which every session is appended."""

    name: str
    agent: str

    def detect(self, path: Path) -> bool:
        """Whether there are sessions of this store at ``path``, a file or a folder."""
        ...

    def sessions(self, path: Path) -> Iterator[str]:
        """Yield the ids of the store's sessions."""
        ...

    def read(self, path: Path, session: str) -> Iterator[Item]:
        """Yield the items of one session, in its order. Raises OSError, FormatError."""
        ...


_READERS: dict[str, str] = {
    "claude-web-export": "gittraj.formats.claude.web",
    "claude-stream-json": "gittraj.formats.claude.stream",
    "qwen-code": "gittraj.formats.qwen",
    "claude-code": "gittraj.formats.claude.session",
    "codex-rollout": "gittraj.formats.codex.rollout",
    "codex-exec": "gittraj.formats.codex.exec",
    "codex-document": "gittraj.formats.codex.document",
    "gemini-cli": "gittraj.formats.gemini.session",
    "gemini-stream-json": "gittraj.formats.gemini.stream",
    "gemini-output": "gittraj.formats.gemini.output",
    "opencode-export": "gittraj.formats.opencode.export",
    "opencode-stream": "gittraj.formats.opencode.stream",
    "mini-swe-agent": "gittraj.formats.swe.mini",
    "swe-agent": "gittraj.formats.swe.swe_agent",
    "copilot-cli": "gittraj.formats.copilot.events",
    "copilot-vscode": "gittraj.formats.copilot.chat",
    "copilot-vscode-log": "gittraj.formats.copilot.patches",
    "cursor": "gittraj.formats.cursor",
    "pi": "gittraj.formats.pi",
    "hook-capture": "gittraj.formats.agent_hooks.capture",
    "codex-notify": "gittraj.formats.codex.notify",
    "agent-trajectories": "gittraj.formats.agent_trajectories.read",
    "openhands": "gittraj.formats.openhands.events",
    "terminal": "gittraj.formats.terminal",
    "openai-messages": "gittraj.formats.openai.messages",
    "raw": "gittraj.formats.raw",
}
"""Modules by format, in the order in which ``detect`` tries them: less specific formats come later."""
STORES: dict[str, str] = {
    "zwarm": "gittraj.formats.zwarm",
    "a3s": "gittraj.formats.a3s.store",
    "openagents": "gittraj.formats.openagents.database",
    "trajectory-sqlite": "gittraj.formats.agent_trajectories.database",
    "agentnote": "gittraj.formats.agent_note",
    "git-ai": "gittraj.formats.git_ai",
    "whogitit": "gittraj.formats.whogitit",
    "git-memento": "gittraj.formats.memento",
    "ai-attribution": "gittraj.formats.ai_attribution",
    "aider": "gittraj.formats.aider.history",
    "cline": "gittraj.formats.cline",
    "opencode-db": "gittraj.formats.opencode.database",
    "opencode-storage": "gittraj.formats.opencode.storage",
    "openhands-folder": "gittraj.formats.openhands.folder",
    "openai-dataset": "gittraj.formats.openai.dataset",
    "atif": "gittraj.formats.atif.read",
    "trajectory-markdown": "gittraj.formats.agent_trajectories.markdown",
    "agent-trace": "gittraj.formats.agent_trace.read",
}
_NOTES = ("agentnote", "git-ai", "whogitit", "git-memento", "ai-attribution")
NAMING = frozenset(("atif", "openagents", "trajectory-sqlite", *_NOTES))
"""Stores whose sessions name their own agent: interchange formats, and other tools' stores."""


_ITEMS = Returns(each=get_args(Item), fails=FormatError, seconds=60.0)
_READER = Shape(
    fields={"name": str, "agent": str},
    methods={"detect": Returns(one=bool, otherwise=False), "read": _ITEMS},
)
_STORE = Shape(
    fields=_READER.fields,
    methods={**_READER.methods, "sessions": Returns(each=str, fails=FormatError)},
)


def formats() -> tuple[str, ...]:
    """The names of all formats."""
    return (*_READERS, *STORES, *_plugged())


def is_store(name: str | None) -> bool:
    return name in STORES or hasattr(_plugged().get(name or ""), "sessions")


def reader_of(name: str) -> Reader:
    """The reader of a format. Raises FormatError. No other format is imported."""
    return cast(Reader, import_module(_READERS[name]) if name in _READERS else _find_plugin(name))


def store_of(name: str) -> Store:
    """The store of a format. Raises FormatError."""
    return cast(Store, import_module(STORES[name]) if name in STORES else _find_plugin(name))


def detect(head: bytes) -> Reader | None:
    """The reader of a file that begins with ``head``; those of plug-ins are tried last."""
    names = (*_READERS, *(name for name in _plugged() if not is_store(name)))
    return next((reader for name in names if (reader := reader_of(name)).detect(head)), None)


def detect_store(path: Path) -> Store | None:
    """The store at ``path``; those of plug-ins are tried last."""
    own = (store_of(name) for name in STORES)
    others = (cast(Store, each) for each in _plugged().values() if hasattr(each, "sessions"))
    return next((store for store in chain(own, others) if store.detect(path)), None)


def shape_of(plugged: Any) -> Shape:
    return _STORE if hasattr(plugged, "sessions") else _READER


def _plugged() -> dict[str, Any]:
    """The readers and stores of plug-ins, by their names."""
    plugged = plugins.found("formats", shape_of, taken={*_READERS, *STORES}, program=_make_program_store)
    return {each.name: each for each in plugged.values()}


def _make_program_store(name: str, path: Path) -> Store:
    from gittraj.formats.program import ProgramStore  # noqa: PLC0415 - few have one

    return ProgramStore(name, path)


def _find_plugin(name: str) -> Any:
    plugin = _plugged().get(name)
    if plugin is None:
        raise FormatError(f"format {name}: its plug-in is left out, or not switched on")
    return plugin


def describe(head: bytes) -> str:
    """Describe to people what a file that no reader recognises seems to be."""
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n\0")
    if not text:
        return "empty"
    return next((kind for pattern, kind in _OTHERS if pattern.search(text)), "not the log of a known agent")


_OTHERS = (
    (re.compile(r'"conversations"\s*:'), "the trace of a trajectory in the same folder"),
    (re.compile(r'"compactedInto"\s*:'), "only the name of the compaction that a trajectory went into"),
    (re.compile(r'"trajectories"\s*:\s*\{'), "an index of trajectories: it contains none itself"),
    (re.compile(r"\A# Trajectory: "), "the summary of a trajectory in the same folder"),
)
