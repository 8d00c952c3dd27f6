"""Parses what a shell command, and its output, say about commits. Pure functions, without sessions.

Commands come from an agent, and a regular expression can run for ever: no pattern here can match the same
text in two ways.
"""

from __future__ import annotations

import re

from gittraj.events.runs.git_commands import GIT, git_verbs

_SCRIPT = re.compile(
    r"(?:^|[;&|(\n])[ \t]*(?:\.{0,2}/|(?:bash|sh|make|just|npm|pnpm|yarn|python3?|uv|cargo|tox)\b)"
)
_HIDES = re.compile(r"[;|\n]|(?<!&)&(?!&)")
_LOOP = re.compile(r"\b(?:for|while|until|xargs|parallel)\b")
_MESSAGE = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*m|--message)\b")
_NO_COMMIT = re.compile(
    r"nothing to commit|no changes added to commit|nothing added to commit|Aborting commit|"
    r"Already up to date|^CONFLICT |Automatic merge failed|could not apply",
    re.MULTILINE,
)
_PRINTS_STATE = re.compile(GIT + r"(?:stash|status)(?![\w-])")
_PRINTING = {"commit", "cherry-pick", "revert"}
_QUIET = re.compile(r"(?:^|\s)(?:-[a-zA-Z]*q|--quiet)|>|(?<!\|)\|(?!\|)")
_MESSAGE_OPTION = re.compile(r"(?:\s-[a-zA-Z]*m|\s--message)[ =]?\0?\n?$")
_NEXT_PARAGRAPH = re.compile(  # a second -m right after the first: the next paragraph of the same message
    r"(?:-[a-zA-Z]*m|--message)(?:[ =]?\0[^\0]*\0\n?|[ =][^\0\s;&|]+\s+)(?:-[a-zA-Z]*m|--message)[ =]?\0?$"
)
_LONGEST_PARAGRAPH = 500
_MERGED = re.compile(r"Merge (?:remote-tracking )?branch '([^']+)'")
_COMMITS_OF_A_LOOP = 50


def can_commit(command: str) -> bool:
    """Whether a shell command runs a git command that can make a commit."""
    return bool(git_verbs(command))


def may_commit(command: str) -> bool:
    """Whether a shell command runs a git command that can make a commit, or a script that may run one."""
    return can_commit(command) or _SCRIPT.search(command) is not None


def count_commits(command: str) -> int:
    """The maximum number of commits that a command may make."""
    verbs = git_verbs(command)
    return _COMMITS_OF_A_LOOP if not verbs or _LOOP.search(command) else len(verbs)


def prints_ids(command: str) -> bool:
    """Whether the output of a command has the id of each commit that it makes: git is not told to be quiet,
    and its output is not redirected."""
    return _PRINTING.issuperset(git_verbs(command)) and not _QUIET.search(command)


def hides_failure(command: str) -> bool:
    """Whether a command may succeed although the git command in it failed."""
    return _HIDES.search(command) is not None


def find_no_commit(output: str, command: str = "") -> str:
    """The words in an output by which git says that it made no commit; empty if there are none, or if the
    ``command`` also runs git stash or status, which print the same words after a commit."""
    words = _NO_COMMIT.search(output) if not _PRINTS_STATE.search(command) else None
    return words[0] if words else ""


def gives_message(command: str) -> bool:
    """Whether a command states the message literally, and does not keep another commit's message."""
    return bool(_MESSAGE.search(command)) and "$(" not in command and "--amend" not in command


def merges_branch(command: str, subject: str) -> bool:
    """Whether a command merges the branch that is named in ``subject``, which git wrote for a merge."""
    merged = _MERGED.match(subject)
    if merged is None or "merge" not in git_verbs(command):
        return False
    return re.search(rf"(?<!\S){re.escape(merged[1])}(?!\S)", command) is not None


def normalise(text: str) -> str:
    """Remove shell quoting: fold blanks and line ends, replace quotes by NUL, and drop escapes. A blank
    before a quote stays: that quote does not close a message."""
    lines = re.sub(r"\\+n", "\n", " ".join(re.split(r"[ \t]+", text))).replace(" \n", "\n")
    marked = re.sub(r"['\"\n]+", _mark, lines)
    return re.sub(r"\0[ \0]*", "\0", marked.replace("\\", "")).replace("\n ", "\n")


def _mark(run: re.Match[str]) -> str:
    """Shorten a run of quotes and line ends."""
    return ("\0" if run[0].strip("\n") else "") + ("\n" if "\n" in run[0] else "")


def gives_subject(command: str, subject: str) -> bool:
    """Whether a ``normalise``d command has a complete subject, as the first line of a message: in quotes, at
    the beginning of a here-document, or as a word after -m."""
    wanted = normalise(subject).strip("\0\n")
    at = command.find(wanted) if wanted else -1
    while at >= 0:
        before, after = command[:at], command[at + len(wanted) :]
        named = _MESSAGE_OPTION.search(before) is not None
        closed = after[:1] in ("", "\0", "\n")
        ends = closed or (named and " " not in wanted and after[0] in " ;&|)")
        if ends and (named or _opens(before)) and not _NEXT_PARAGRAPH.search(before[-_LONGEST_PARAGRAPH:]):
            return True
        at = command.find(wanted, at + 1)
    return False


def _opens(before: str) -> bool:
    """Whether a part of a ``normalise``d command ends with a quote, or with the first line of a here-document
    (in PowerShell, ``@'``)."""
    line = before[:-1].rpartition("\n")[2]
    return before[-1:] in ("", "\0") or (before[-1] == "\n" and ("<<" in line or line.endswith("@\0")))
