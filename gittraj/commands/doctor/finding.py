"""Defines the findings of checks, fixes and prints them. Also checks whether a login shell finds ``git
traj``, because agents run their commands in one.
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
    """The result of a check that found something. A finding that is ``wrong`` is a problem that somebody must
    solve, a ``note`` is information. ``code`` does not change between versions, so that scripts can rely on
    it.

    ``fix``, if there is one, is safe: it loses no data and can be repeated. It may raise TrajError.
    """

    code: str
    text: str
    remedy: str
    severity: Literal["wrong", "note"] = "wrong"
    fix: Callable[[], object] | None = field(default=None, repr=False, compare=False)


note = partial(Finding, severity="note")
FindingResult = tuple[Finding, bool]
"""A finding, and whether it is fixed."""


def fix_findings(findings: Iterable[Finding], *, report: Callable[[str], object]) -> list[FindingResult]:
    """Fix each finding that has a fix. If that fails, call ``report`` once for each reason."""
    reasons = set[str]()

    def fix(finding: Finding) -> bool:
        try:
            return finding.fix is not None and (finding.fix(), True)[1]
        except TrajError as error:
            if error.message not in reasons:
                report(f"not fixed: {error.message}")
            reasons.add(error.message)
            return False

    return [(finding, fix(finding)) for finding in findings]


def has_problems(findings: Iterable[FindingResult]) -> bool:
    return any(finding.severity == "wrong" and not fixed for finding, fixed in findings)


def findings_to_lines(findings: Sequence[FindingResult]) -> Iterator[str]:
    for finding, fixed in findings:
        yield f"{'fixed' if fixed else finding.severity}: {finding.text}"
        yield from () if fixed else (f"    {finding.remedy}",)
    noted = any(not fixed for _, fixed in findings)
    yield (
        "Problems found." if has_problems(findings) else "Nothing is wrong." if noted else "Everything is OK."
    )


def findings_to_json(findings: Sequence[FindingResult]) -> dict[str, object]:
    rows = [
        {name: getattr(finding, name) for name in ("code", "severity", "text", "remedy")}
        | {"fixable": finding.fix is not None, "fixed": fixed}
        for finding, fixed in findings
    ]
    return {"version": 1, "well": not has_problems(findings), "findings": rows}


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
