"""The findings of checks: how they are fixed and printed. Also the check whether a login shell finds
``git traj``, because agents run their commands in one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Literal

from gittraj.commands.install.agent_hooks import wrapper_path
from gittraj.errors import TrajError
from gittraj.frozen import dataclass
from gittraj.git import Repository


@dataclass(frozen=True, slots=True)
class Finding:
    """``wrong`` needs somebody to do something, a ``note`` is good to know. ``code`` is stable, for scripts.

    ``fix``, if there is one, is safe: it loses nothing and can be repeated. It may raise TrajError.
    """

    code: str
    text: str
    remedy: str
    severity: Literal["wrong", "note"] = "wrong"
    fix: Callable[[], object] | None = field(default=None, repr=False, compare=False)


note = partial(Finding, severity="note")
Mended = tuple[Finding, bool]
"""A finding, and whether it is fixed."""


def mend(found: Iterable[Finding], *, tell: Callable[[str], object]) -> list[Mended]:
    """Fix what can be fixed; ``tell`` gets the reason why something cannot, once for all that share it."""
    hindered = set[str]()

    def fix(finding: Finding) -> bool:
        try:
            return finding.fix is not None and (finding.fix(), True)[1]
        except TrajError as error:
            if error.message not in hindered:
                tell(f"not fixed: {error.message}")
            hindered.add(error.message)
            return False

    return [(finding, fix(finding)) for finding in found]


def is_ill(findings: Iterable[Mended]) -> bool:
    return any(finding.severity == "wrong" and not fixed for finding, fixed in findings)


def findings_to_lines(findings: Sequence[Mended]) -> Iterator[str]:
    for finding, fixed in findings:
        yield f"{'fixed' if fixed else finding.severity}: {finding.text}"
        yield from () if fixed else (f"    {finding.remedy}",)
    noted = any(not fixed for _, fixed in findings)
    yield "Problems found." if is_ill(findings) else "Nothing is wrong." if noted else "Everything is OK."


def findings_to_json(findings: Sequence[Mended]) -> dict[str, object]:
    rows = [
        {name: getattr(finding, name) for name in ("code", "severity", "text", "remedy")}
        | {"fixable": finding.fix is not None, "fixed": fixed}
        for finding, fixed in findings
    ]
    return {"version": 1, "well": not is_ill(findings), "findings": rows}


_SECONDS = 5.0
_FOUND = "found"


def check_login_shell(repository: Repository, raw: Mapping[str, str]) -> Iterator[Finding]:
    """Yield a note if the user's login shell starts and does not find ``git traj``."""
    shell = raw.get("SHELL")
    if not shell:
        return
    command = f"command -v git-traj >/dev/null && echo {_FOUND}; true"
    try:
        ran = subprocess.run(
            [shell, "-lc", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=True,
            env=dict(raw),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return
    if _FOUND.encode() not in ran.stdout.split():
        yield note(
            "not-on-path",
            "git traj is not on the PATH of a login shell, where agents run commands",
            f"add its folder to PATH in your profile; agents are given {wrapper_path(repository)}",
        )
