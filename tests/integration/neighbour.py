"""Shell commands that read a folder next to the repository: its neighbour."""

from __future__ import annotations

from pathlib import Path

PRIVATE = "needle = of_somebody_else"
NEIGHBOUR = [
    "cat ../neighbour/config.py",
    "cat ../*/config.py",
    "grep -rn needle ..",
    "rg needle ../",
    "find .. -name config.py -exec cat {{}} +",
    "find .. -name '*.py' | xargs cat",
    "cd .. && cat neighbour/config.py",
    "cd ..; grep -r needle .",
    "(cd ../neighbour && cat config.py)",
    "pushd .. && ls",
    "cat < ../neighbour/config.py",
    "awk 1 ../neighbour/config.py",
    "sed -n 1,5p src/../../neighbour/config.py",
    "diff src/a.py ../neighbour/config.py",
    "head -5 {neighbour}/config.py",
    "cat '{neighbour}/config.py'",
    "python3 -c \"print(open('../neighbour/config.py').read())\"",
    "python3 -c \"print(open('{neighbour}/config.py').read())\"",
    "D=..; cat $D/neighbour/config.py",
    ". ../neighbour/env && env",
    "git diff --no-index src/a.py ../neighbour/config.py",
    "tar cf - .. | tar xOf -",
    "cat linked/config.py",
    "cat config",
    "grep -R needle .",
    "find -L . -name config.py",
    "cat ~/.netrc",
    "cat $HOME/notes.txt",
    "cat ${{HOME}}/notes.txt",
    "ls ~",
    "cd && ls",
    "grep -r needle /",
    "bash -c 'cat ../neighbour/config.py'",
    "git --git-dir=../neighbour/.git log -p",
    "ls -la; cat ../neighbour/config.py | head",
    "ls /",
    "ls / 2>&1",
    "ls // | head",
    'ls "$(dirname "$(pwd)")/"',
    "find / 2>/dev/null -name config.py",
    "find / -maxdepth 1",
    "cd / && cat x",
    "python3 -c \"import os; print(os.listdir('/'))\"",
    "python3 - <<'X'\nprint(9 // 2, open('{neighbour}/config.py').read())\nX",
    "cat > b.py <<'X'\nprint(9 / 2, open('../neighbour/config.py').read())\nX\npython3 b.py",
    'cat "$(pwd)/../neighbour/config.py"',
    "sed 's/(a)/(b)/' {neighbour}/config.py",
]
_ELSEWHERE = ("HOME", "~", "tar ", "xargs", "cd &&", " /")
"""Words in commands that read more than the neighbour, or that wait for an input which never comes."""


def shell_reads(neighbour: Path) -> list[str]:
    """The commands that read ``neighbour`` or list its parent folder, and touch no user's home."""
    chosen = (command for command in NEIGHBOUR if not any(word in command for word in _ELSEWHERE))
    return [command.format(neighbour=neighbour) for command in chosen]
