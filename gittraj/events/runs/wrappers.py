"""Commands that run another one: ``timeout 60 pytest``, ``uv run pytest``, ``ssh host 'make test'``."""

from __future__ import annotations

import re
from collections.abc import Sequence

Pattern = re.Pattern[str]
_PLAIN = (
    "command builtin nohup setsid unbuffer caffeinate chronic bunx pnpx corepack dotenvx cross-env winpty"
)
_WRAPPERS = {
    **dict.fromkeys(_PLAIN.split(), "(?!)"),
    "entr": "(?!)",
    "exec": "-a",
    "env": "-u|-C|-S",
    "nice": "-n",
    "ionice": "-c|-n",
    "time": "-f|-o",
    "timeout": "-s|-k",
    "gtimeout": "-s|-k",
    "stdbuf": "-i|-o|-e",
    "sudo": "-u|-g",
    "doas": "-u",
    "xvfb-run": "-s|-n",
    "xargs": "-n|-P|-I|-L|-d|-a",
    "parallel": "-j|-P|-S",
    "npx": "-p|--package",
    "dotenv": "-e|-f",
    "strace": "-o|-e|-s|-u|-E",
    "taskset": "(?!)",
    "flock": "-w|-E",
    "watchexec": "-e|-w|-i|-f",
}
"""Commands that run the command behind them, and their options that take a value."""
_RUN_WRAPPERS = re.compile(
    r"(?!(?:hatch|pdm|mise|pixi|rye) run (?:\S+:)?tests?(?:[ :-]|$))"  # a script of the project
    r"(?:uv|poetry|pipenv|hatch|pdm|rye|pixi|conda|mamba|micromamba|volta|mise|fnm|asdf|bundle|direnv|coverage|dotenvx"
    r"|devbox|nix|dotenv|uv tool)(?: -\S+)* (?:run|exec|x)|(?:pnpm|yarn|npm|bun)(?: -\S+)* (?:exec|dlx|x)"
    r"|uvx|pipx run|docker[ -]compose (?:exec|run)|docker (?:exec|run)|podman (?:exec|run)|kubectl exec"
    r"|git bisect run|nix (?:develop|shell)(?: \S+)*? (?:-c|--command)"
)
_VALUED = re.compile(
    r"--?(?:with|with-requirements|extra|group|only-group|package|python|project|directory|env|workdir|user|name"
    r"|[pewuvnfc])"
)
_SHELLS = {"sh", "bash", "zsh", "dash", "ksh"}
_SCRIPTED = {
    **dict.fromkeys([*_SHELLS, "script", "su"], r"-\w*c"),
    "ptw": "--runner",
    "nodemon": "-x|--exec",
}
"""Commands that run a script, and the option before it."""
_SSH_VALUED = re.compile(r"-[bcDEeFIiJLlmOopQRSWw]")
_DETACHED = re.compile(
    r"(?:\S*/)?(?:docker|podman)(?:[ -]compose)? (?:run|exec) (?:-\S+ )*?(?:-\w*d\w*|--detach) "
    r"|tmux new(?:-session)? (?:\S+ )*?-\w*d|screen -\w*d|tmux send(?:-keys)? |ssh (?:-\S+ )*?-\w*f "
    r"|setsid (?:-\S+ )*?(?:-\w*f|--fork) "
)
_REPEATED = re.compile(
    r"(?:\S+ )*(?:--(?:if-present|ignore-errors|touch|exit-zero|fail-never|(?i:pass-?with-?no-?tests)"
    r"|watch(?:-?[aA]ll)?|suppress-\S+|(?:issues-exit-code|failure-exit-code|exit-status)[= ]0|ui|standalone"
    r"|mute-exit-status|no-fail|fail-level|permit-no-files|listen-on-stdin|add-noqa|auto-gen-config"
    r"|(?:generate|set)-baseline\S*)|-fn|-Dmaven\.test\.failure\.ignore\S*) "
    r"|ruff check (?:\S+ )*-[ew] |(?:tsc|rollup|webpack) (?:\S+ )*-w |tflint (?:\S+ )*--force "
    r"|newman (?:\S+ )*-x "
    r"|g?make (?:\S+ )*?-[a-hj-z]*[iqt]|parallel |git bisect run |entr |watchexec "
    r"|xargs (?:-[Pda] \S+ |-\S+ |\d+ )*?(?:-\w*[nLIir]|--no-run-if-empty)"
    r"|script (?!(?:-\S+ )*?-(?:\w*e|-return))|\S*python[\d.]* -c [\s\S]*?(?<!xit\()pytest\.main\("
)
_TERMINALS = re.compile(r"(?:tmux (?:new(?:-session)?|send(?:-keys)?)|screen) ")


def unwrap(words: Sequence[str]) -> list[str]:
    """Without ``timeout 60``, ``uv run``, ``npx`` and their like."""
    left = list(words)
    while left:
        name = left[0].rpartition("/")[2]
        joined = " ".join(left[:6])
        if match := _RUN_WRAPPERS.match(joined):
            left = _skip_options(left[len(match[0].split()) :], _VALUED)
            if match[0].startswith(("docker", "podman", "kubectl")):
                left = left[2:] if left[1:2] == ["--"] else left[1:]
        elif name == "command" and left[1:2] in (["-v"], ["-V"]):
            return []
        elif name not in _WRAPPERS:
            return left
        else:
            left = _skip_options(left[1:], re.compile(_WRAPPERS[name]))
            if name in ("timeout", "gtimeout", "taskset", "flock"):
                left = left[1:]
            while left and re.fullmatch(r"[A-Za-z_]\w*=.*", left[0], re.S):
                left = left[1:]
    return left


def _skip_options(words: list[str], valued: Pattern) -> list[str]:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "--":
            return words[at + 1 :]
        at += 2 if valued.fullmatch(words[at]) else 1
    return words[at:]


def nested_script(words: Sequence[str], document: str | None) -> str | None:
    """The shell script that the words run: of ``bash -c SCRIPT``, ``eval``, ``ssh HOST SCRIPT``, a terminal's
    window; ``document``: the here-document that a bare ``bash`` reads."""
    if words[0] == "eval":
        return " ".join(words[1:])
    if _TERMINALS.match(" ".join(words[:2]) + " "):
        return next((word for word in words[2:] if " " in word), None)
    words = unwrap(words) or list(words)
    name = words[0].rpartition("/")[2]
    if name == "ssh":
        return " ".join(_skip_options(list(words[1:]), _SSH_VALUED)[1:]) or None
    option = re.compile(_SCRIPTED.get(name, "(?!)"))
    for at, word in enumerate(words[1:-1], 1):
        if option.fullmatch(word):
            return words[at + 1]
    if name not in _SHELLS:
        return None
    return document if all(word in ("-", "-s", "-e", "-x", "-ex", "-l") for word in words[1:]) else None


def is_detached(words: Sequence[str]) -> bool:
    """Whether the command returns before what it runs has ended: its status is not that of the run."""
    return _DETACHED.match(" ".join(words[:12]) + " ") is not None


def is_repeated(words: Sequence[str]) -> bool:
    """Whether the command may run another one several times, or not at all, or not say that it failed."""
    return any(_REPEATED.match(" ".join(each[:12]) + " ") for each in (words, unwrap(words)))
