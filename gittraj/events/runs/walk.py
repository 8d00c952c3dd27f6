"""Walks through a command line in which every command both succeeds and fails, each in a separate world.

The walk follows what a shell does with a status (``&&``, ``|``, ``if``, ``set -e``, ``pipefail``, ``wait``)
and which commands do not fail. Its caller decides which commands are runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from gittraj.events.runs import shell, views
from gittraj.events.runs.shell import Node, Redirect, Simple
from gittraj.events.runs.tokens import Word
from gittraj.events.runs.worlds import ANY, OK, World
from gittraj.events.runs.wrappers import is_detached, is_repeated, nested_script

T = TypeVar("T")
_MAX_WORLDS = 400
_FILTERS = "cat tail head tee wc sort uniq sed awk tr cut column less more nl rev fold fmt"
_BUILTINS = (
    ": true export trap cd pushd popd local declare readonly unset shopt umask alias source . hash type"
)
_RELIABLE = frozenset(f"{_FILTERS} {_BUILTINS} mkdir touch sleep date pwd".split())
"""Commands that are assumed to succeed unless the output has an error message from them."""
_RELIABLE_GIT = {"add", "status", "log", "diff", "stash", "branch", "rev-parse", "show", "config"}


@dataclass(frozen=True, slots=True)
class Run:
    """A command of the line that runs tests or checks. ``view`` is how much of its output is in the call's
    output: the ``whole``, its ``end``, a ``part``, its ``start``, or ``none``. ``repeated``: it may run
    several times, or is detached, so that a status of 0 is not its own. ``remote``: ``ssh`` runs it."""

    index: int
    words: tuple[str, ...]
    view: str
    repeated: bool
    remote: bool = False


@dataclass(frozen=True, slots=True)
class _Context:
    """The context of a command. ``view``, ``repeated`` and ``remote`` are as in :class:`Run`; ``guarded``: a
    failure does not end the script under ``set -e``."""

    view: str = "whole"
    guarded: bool = False
    repeated: bool = False
    remote: bool = False

    def into(self, redirects: Sequence[Redirect], read_back: dict[str, str]) -> _Context:
        """Return the context in which the output goes to files, which the line may show later."""
        context = self
        for redirect in redirects:
            if "1" in redirect.descriptors and not redirect.target.startswith("&"):
                terminal = redirect.target.startswith(("/dev/std", "/dev/tty"))
                view = "whole" if terminal else read_back.get(redirect.target, "none")
                context = replace(context, view=views.least(context.view, view))
        return context

    def below(self, words: Sequence[str]) -> _Context:
        """Return the context of what a command runs."""
        if is_detached(words):
            return replace(self, view="none", guarded=True, repeated=True)
        return replace(self, repeated=True) if is_repeated(words) else self


class TooManyWorldsError(Exception):
    """The line has too many commands to follow all outcomes."""


@dataclass
class Walk:
    """A walk through a command line. ``is_run`` decides whether the words of a command start a run;
    ``read_back`` is from :func:`.views.read_back`; ``runs`` are the runs that the walk found."""

    is_run: Callable[[Sequence[str]], object]
    output: str
    read_back: dict[str, str]
    runs: list[Run] = field(default_factory=list)
    _numbers: dict[int, int] = field(default_factory=dict)
    _trees: dict[tuple[int, str], Node] = field(default_factory=dict)

    def walk(self, tree: Node) -> list[World]:
        """Return all worlds at the end of the line. Raises TooManyWorldsError, and ValueError if a nested
        script has a quotation that does not end."""
        return self._node(tree, World(), _Context())

    def _node(self, node: Node, world: World, context: _Context) -> list[World]:
        if world.exited:
            return [world]
        match node:
            case shell.Background():
                inside = self._node(node.body, world, replace(context, guarded=True))
                worlds = [replace(world, status=OK, job=w.status, runs=w.runs) for w in inside]
            case shell.Group():
                worlds = self._node(node.body, world, context.into(node.redirects, self.read_back))
                worlds = [_leave(world, w) for w in worlds] if node.subshell else worlds
            case shell.Loop():
                within = replace(context.into(node.redirects, self.read_back), repeated=True)
                worlds = [replace(world, status=OK), *self._node(node.body, world, within)]
            case Simple():
                worlds = self._simple(node, world, context)
            case shell.Pipeline():
                worlds = self._pipeline(node, world, context)
            case shell.Chain():
                worlds = self._chain(node, world, context)
            case shell.Sequence():
                worlds = self._sequence(node, world, context)
            case shell.Condition():
                worlds = self._condition(node, world, context)
        return _bounded(worlds)

    def _sequence(self, node: shell.Sequence, world: World, context: _Context) -> list[World]:
        worlds = [world]
        for part in node.parts:
            worlds = _bounded(after for w in worlds for after in self._node(part, w, context))
        return worlds

    def _chain(self, node: shell.Chain, world: World, context: _Context) -> list[World]:
        after: list[World] = []
        for left in self._node(node.left, world, replace(context, guarded=True)):
            goes_on = (left.status == OK) == (node.operator == "&&")
            after += self._node(node.right, left, context) if goes_on else [left]
        return after

    def _condition(self, node: shell.Condition, world: World, context: _Context) -> list[World]:
        after: list[World] = []
        for tested in self._node(node.test, world, replace(context, guarded=True)):
            branch = node.then if tested.status == OK else node.other
            if tested.exited:
                after.append(tested)
            else:
                after += self._node(branch, tested, context) if branch else [replace(tested, status=OK)]
        return after

    def _pipeline(self, node: shell.Pipeline, world: World, context: _Context) -> list[World]:
        lines = len(self.output.splitlines())
        worlds: list[tuple[World, tuple[int, ...]]] = [(world, ())]
        for at, part in enumerate(node.parts):
            filters = (views.through(each, lines) for each in node.parts[at + 1 :])
            inside = replace(context, guarded=True, view=views.least(context.view, *filters))
            worlds = [
                (_leave(before, after) if len(node.parts) > 1 else after, (*statuses, after.status))
                for before, statuses in worlds
                for after in self._node(part, before, inside)
            ]
            worlds = _bounded(worlds)  # the statuses of n commands alone may be 2 ** n
        return [self._piped(node, after, statuses, context) for after, statuses in worlds]

    def _piped(
        self, node: shell.Pipeline, world: World, statuses: tuple[int, ...], context: _Context
    ) -> World:
        status = statuses[-1]
        if world.pipefail:
            status = next((each for each in reversed(statuses) if each != OK), OK)
        if not node.negated:
            return _end_if_failed(replace(world, status=status, pipe=statuses), context)
        if status != ANY:
            status = OK if status != OK else self._number(node)
        return replace(world, status=status, pipe=statuses)

    def _simple(self, node: Simple, world: World, context: _Context) -> list[World]:
        context = context.into(node.redirects, self.read_back)
        worlds = self._run_scripts(node, world, context)
        if node.words:
            ends = [after for w in worlds for after in self._command(node, w, world, context)]
        else:
            assigned = worlds if node.scripts else [replace(world, status=OK)]
            ends = [_assign(w, node.assignments, before=world) for w in assigned]
        return [_end_if_failed(replace(w, pipe=(w.status,)), context) for w in ends]

    def _run_scripts(self, node: Simple, world: World, context: _Context) -> list[World]:
        """Return the worlds after the command substitutions of a command."""
        shown = [self.read_back.get(f"${name}", "none") for name, _ in node.assignments]
        view = views.least(context.view, *(["part"] if node.words else shown))
        inside = replace(context, view=view, guarded=True)
        worlds = [world]
        for script in node.scripts:
            worlds = [_leave(w, after) for w in worlds for after in self._script(script, w, inside, node)]
        return worlds

    def _script(self, script: str, world: World, context: _Context, owner: Node) -> list[World]:
        key = (id(owner), script)
        if key not in self._trees:
            self._trees[key] = shell.parse(script)
        return self._node(self._trees[key], world, context)

    def _command(self, node: Simple, world: World, before: World, context: _Context) -> list[World]:
        """Return the worlds after a command; its words are expanded with the variables and ``$?`` of
        ``before``."""
        words = _program_words(node)
        context = context.below(words)
        inner = nested_script(words, node.document)
        if inner is not None:
            context = replace(context, remote=context.remote or "ssh" in words[:4])
            return [_leave(world, w) for w in self._script(inner, world, context, node)]
        failure = self._number(node)
        if self.is_run(words):
            run = Run(failure, tuple(words), context.view, context.repeated, context.remote)
            return self._run(run, world)
        if words[0] in ("echo", "printf"):
            line = before.print(node.words) if context.view == "whole" else ()
            return [replace(world, status=OK, printed=(*world.printed, *filter(None, [line])))]
        after = _run_builtin(words, world, before, failure)
        if after is None and not self._is_reliable(words):
            return [replace(world, status=OK), replace(world, status=failure)]
        return [after or replace(world, status=OK)]

    def _run(self, run: Run, world: World) -> list[World]:
        if all(each.index != run.index for each in self.runs):
            self.runs.append(run)
        return [
            replace(world, status=status, runs=(*world.runs, (run.index, status)))
            for status in (OK, run.index)
        ]

    def _is_reliable(self, words: Sequence[str]) -> bool:
        name = words[0].rpartition("/")[2]
        if name not in _RELIABLE and not (name == "git" and {*words[1:3]} & _RELIABLE_GIT):
            return False
        return re.search(rf"(?:^|[\s:]){re.escape(name)}: ", self.output) is None

    def _number(self, node: Node) -> int:
        """Return the status of a command's failure: the same in every world."""
        return self._numbers.setdefault(id(node), len(self._numbers) + 1)


def _program_words(node: Simple) -> list[str]:
    """Return the words of a command. For an interpreter that reads a here-document, return those with which
    it would get the text as an argument: its name, ``-c`` and the text."""
    words = [word.text for word in node.words]
    if node.document is not None and words[-1] in ("-", words[0]):
        return [words[0], "-c", node.document]
    return words


def _run_builtin(words: Sequence[str], world: World, before: World, failure: int) -> World | None:
    """Return the world after a builtin of the shell with a known status; None for any other command."""
    match words[0]:
        case "exit" | "return":
            status = before.value(words[1]) if len(words) > 1 else before.status
            return replace(world, status=status, exited=True)
        case "wait":
            return replace(world, status=world.job if "$!" in words else OK)
        case "set":
            return _set(world, " ".join(words[1:]))
        case "trap" if re.search(r"\bexit\b", " ".join(words)):
            raise TooManyWorldsError  # it may change the status of any command
        case "false":
            return replace(world, status=failure)
        case "[" | "test" | "[[" if (holds := before.compare(words[1:])) is not None:
            return replace(world, status=OK if holds else failure)
    return None


def _bounded(worlds: Iterable[T]) -> list[T]:
    distinct = list(dict.fromkeys(worlds))
    if len(distinct) > _MAX_WORLDS:
        raise TooManyWorldsError
    return distinct


def _leave(outside: World, inside: World) -> World:
    """Return the world after a subshell: what it set is lost, what it ran and printed is not."""
    return replace(
        outside, status=inside.status, runs=inside.runs, printed=inside.printed, pipe=(inside.status,)
    )


def _end_if_failed(world: World, context: _Context) -> World:
    return replace(world, exited=True) if world.errexit and not context.guarded and world.status else world


def _assign(world: World, assignments: Sequence[tuple[str, Word]], *, before: World) -> World:
    values = {name: before.value(word.text) for name, word in assignments}
    return replace(world, variables=tuple({**dict(world.variables), **values}.items()))


def _set(world: World, options: str) -> World:
    for sign in re.findall(r"([-+])\w*o\s+pipefail", options):
        world = replace(world, pipefail=sign == "-")
    for sign, letters in re.findall(r"(?:^|\s)([-+])(\w+)", options):
        if "e" in letters:
            world = replace(world, errexit=sign == "-")
    return replace(world, status=OK)
