"""Reads a job's log and files as GitHub Actions' runner does; modelled on actions/runner, src/Runner.Common/
ActionCommand.cs and src/Runner.Worker/{ActionCommandManager,FileCommandManager}.cs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Log:
    """A job's log; lines end where .NET's ReadLine ends them."""

    commands: list[tuple[str, dict[str, str], str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    _stopped: str | None = None

    def read(self, text: str) -> Log:
        for line in re.split(r"\r\n|\r|\n", text)[:-1]:
            command = _command(line)
            if self._stopped is not None:
                if command and command[0] == self._stopped:
                    self._stopped = None
                else:
                    self.lines.append(line)
            elif command and command[0] == "stop-commands":
                self._stopped = command[2]
            elif command:
                self.commands.append(command)
            else:
                self.lines.append(line)
        return self


def _command(line: str) -> tuple[str, dict[str, str], str] | None:
    stripped = line.lstrip()
    if stripped.startswith("::") and (end := stripped.find("::", 2)) > 0:
        name, _, pairs = stripped[2:end].partition(" ")
        properties = dict(p.partition("=")[::2] for p in pairs.split(",") if "=" in p)
        return name, {k: _unescaped(v) for k, v in properties.items()}, _unescaped(stripped[end + 2 :])
    old = line.find("##[")
    if old >= 0 and (end := line.find("]", old)) > 0:
        return line[old + 3 : end].partition(" ")[0], {}, line[end + 1 :]
    return None


def _unescaped(text: str) -> str:
    for written, meant in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(written, meant)
    return text


def outputs(text: str) -> dict[str, str]:
    pairs, lines = {}, iter(text.split("\n"))
    for line in lines:
        if not line:
            continue
        name, separator, delimiter = line.partition("<<")
        assert separator, line
        assert delimiter, line
        value = []
        while (part := next(lines)) != delimiter:
            value.append(part)
        pairs[name] = "\n".join(value)
    return pairs
