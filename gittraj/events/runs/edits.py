"""Finds the shell commands that change files, and whether they come behind a run of tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from gittraj.events.runs import shell
from gittraj.events.runs.git_commands import runs_commit
from gittraj.events.runs.reader import CallOutcome
from gittraj.events.runs.runners import find_runner
from gittraj.events.runs.shell import Node, Redirect, Simple
from gittraj.events.runs.wrappers import nested_script

_WRITER = re.compile(
    r"(?:sed|perl) (?:\S+ )*?-(?:\w{0,9}i|-in-place)|(?:mv|cp|tee|patch)(?: |$)"
    r"|git (?:-[cC] \S+ )*(?:apply(?! .*--(?:check|stat|cached))|restore(?! --staged| -S)|rm|mv"
    r"|reset (?:.* )?--hard|checkout (?:.* )?(?:--(?: |$)|\.|\S*\w\.[a-z]\w*$))"
)
_OUTSIDE = ("&", "/dev/", "/tmp/", "/var/")  # noqa: S108 - what begins so is no file of a work tree


def edits_files(command: str, run: CallOutcome | None = None, exit_code: int | None = None) -> bool:
    """Whether a command changes files before it commits, or else at its end; if it is the call of ``run``,
    only behind that run. What follows ``&&`` or ``||`` may not be reached."""
    skipped = "||" if run and run.outcome == "passed" else "&&" if run and exit_code else ""
    try:
        steps = list(_steps(shell.parse(command), run.kind if run else "", skipped))
    except (ValueError, RecursionError):
        return False
    behind = steps[len(steps) - steps[::-1].index("run") :] if "run" in steps else steps
    return "write" in takewhile("commit".__ne__, behind)


def _steps(node: Node, kind: str, skipped: str) -> Iterator[str]:
    """Yield ``run`` for each run of this kind, ``write`` and ``commit``, in order."""
    match node:
        case Simple():
            yield from _step(node, kind, skipped)
        case shell.Pipeline() | shell.Sequence():
            steps = [step for part in node.parts for step in _steps(part, kind, skipped)]
            yield from ["run"] if isinstance(node, shell.Pipeline) and "run" in steps else steps
        case shell.Chain():
            left = list(_steps(node.left, kind, skipped))
            yield from left
            if not ("run" in left and node.operator == skipped):
                yield from _steps(node.right, kind, skipped)
        case shell.Condition():
            for branch in (node.test, node.then, node.other):
                yield from _steps(branch, kind, skipped) if branch else ()
        case shell.Group() | shell.Loop() | shell.Background():
            steps = list(_steps(node.body, kind, skipped))
            yield from steps
            if "run" not in steps and not isinstance(node, shell.Background) and _go_to_file(node.redirects):
                yield "write"


def _step(node: Simple, kind: str, skipped: str) -> Iterator[str]:
    words = [word.text for word in node.words]
    inner = nested_script(words, node.document) if words else None
    runner = find_runner(words) if words else None
    if inner is not None:
        yield from _steps(shell.parse(inner), kind, skipped)
    elif runner and runner.kind == kind:
        yield "run"
    elif runs_commit(line := " ".join(words)):
        yield "commit"
    elif _go_to_file(node.redirects) or (_WRITER.match(line) and not words[-1].startswith(_OUTSIDE)):
        yield "write"


def _go_to_file(redirects: Iterable[Redirect]) -> bool:
    return any("1" in r.descriptors and not r.target.startswith(_OUTSIDE) for r in redirects)
