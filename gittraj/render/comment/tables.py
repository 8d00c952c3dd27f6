"""Renders the tables of the comment on a pull request, and its links. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from gittraj.frozen import dataclass
from gittraj.model.header import Header
from gittraj.model.sides import sides
from gittraj.model.words import (
    count,
    duration,
    edited,
    money,
    opened_by,
    own_words,
    short_number,
    sure,
    unstructured,
)
from gittraj.model.words_of_tests import tests
from gittraj.query.change import Change, Reviewed
from gittraj.render.comment.flags import AGENTS, Flag, own_reason, titled
from gittraj.render.inert import code, words

PATH = 32
"""The maximum number of characters of a path that a phone shows without cutting it: a path does not wrap."""
NAME = 40
"""The maximum number of characters of an agent's or a model's name."""
ROWS = 1_000
"""The maximum number of rows of one table."""
WORDS = 300
"""The maximum number of characters of one quoted text."""
_FILES, _NAMES = 3, 4  # in a cell
_COMMIT = {
    "github": "pull/{}/commits/{}",
    "gitlab": "-/merge_requests/{}/diffs?commit_id={}",
    "gitea": "pulls/{}/commits/{}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where the change is shown: the ``server``'s address, its software (``host``: github, gitlab or gitea),
    the repository (OWNER/NAME), the pull request's number and the page of the CI job (``run``). Without a
    server nothing is a link."""

    server: str = ""
    repository: str = ""
    number: int = 0
    run: str = ""
    host: str = "github"

    def file(self, path: str, *, most: int = 80, line: int | None = None) -> str:
        shown = code(_end(path, most) + (f":{line}" if line else ""))
        return f"[{shown}]({self._file(path, line)})" if self.server else shown

    def commit(self, commit: str) -> str:
        shown = code(commit[:7])
        page = _COMMIT[self.host].format(self.number, commit)
        return f"[{shown}]({self._home}/{page})" if self.server else shown

    def _file(self, path: str, line: int | None) -> str:
        """The address of a file in the diff; at a line, if the host's anchors need only its new number."""
        name, at = path.encode(errors="replace"), f"R{line}" if line else ""
        if self.host == "gitlab":  # a line's anchor would need its old number, too
            return f"{self._home}/-/merge_requests/{self.number}/diffs#{_sha1(name)}"
        if self.host == "gitea":
            return f"{self._home}/pulls/{self.number}/files#diff-{_sha1(name)}{at}"
        return f"{self._home}/pull/{self.number}/files#diff-{hashlib.sha256(name).hexdigest()}{at}"

    @property
    def _home(self) -> str:
        return f"{self.server}/{self.repository}"


def _sha1(name: bytes) -> str:
    return hashlib.sha1(name, usedforsecurity=False).hexdigest()


def _end(path: str, most: int) -> str:
    """A path of at most ``most`` characters: if it is longer, its end, from the beginning of a name on."""
    if len(path) <= most:
        return path
    end = path[1 - most :]
    return f"…/{end.partition('/')[2]}" if "/" in end else f"…{end}"


def flags_table(flags: Sequence[Flag], location: Location) -> str:
    """The table of flags. File and reason share a cell: a phone would show little of a second column."""
    rows = [f"| {flag.icon} | {' '.join(_where(flag, location))} |" for flag in flags]
    return "\n".join(["| | Where, and why |", "|:-:|---|", *rows])


def _where(flag: Flag, location: Location) -> Iterator[str]:
    if flag.path:
        yield location.file(flag.path, most=PATH, line=flag.line)
    elif flag.who:  # the author of the quotation: an agent, a model or a person
        yield location.commit(flag.commits[0])
    yield _reason(flag, location)


def _reason(flag: Flag, location: Location) -> str:
    parts = [f"{words(flag.who, NAME)} {flag.why}" if flag.who else flag.why]
    if flag.quoted:
        parts.append(f": “{words(flag.quoted, WORDS)}”")
    if flag.commits and not flag.who:
        parts.append(f" {', '.join(location.commit(c) for c in flag.commits[:3])}")
        parts.append(f" and {len(flag.commits) - 3} more" if len(flag.commits) > 3 else "")
    # ``after``: "(changed again in 1a2b3c4)", if a later commit may have settled the matter
    return "".join((*parts, flag.after(location.commit)))


def decisions_table(decisions: Sequence[Header]) -> str:
    rows = []
    for decision in decisions:
        chosen, others = sides(decision)
        choice = cell(titled(decision)) if chosen else "—"
        rows.append((choice + _small(decision), cell("; ".join(others)), cell(decision["reasoning"] or "")))
    return _table(("Chosen", "Rejected", "Why"), rows)


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table without columns that are empty in all rows. A name that begins with a space is that of a column
    of numbers, which is aligned to the right."""
    filled = [at for at in range(len(names)) if not {row[at] for row in rows} <= {"", "—"}]
    rules = "".join("--:|" if names[at].startswith(" ") else "---|" for at in filled)
    lines = (f"| {' | '.join(row[at].strip() for at in filled)} |" for row in (names, *rows))
    return "\n".join([next(lines), f"|{rules}", *lines])


def _small(decision: Header) -> str:
    """The author of a decision and the author's confidence, in small print: more columns would be cut on a
    phone."""
    by = {"agent": "", "human": "a person"}.get(decision["by"], words(decision["by"], NAME))
    return _note(by, sure(decision["confidence"]), _reverted(decision.get("revertedBy")))


def _reverted(by: str | None) -> str | None:
    return f"reverted by {code(by[:7])}" if by else None


def _note(*facts: str | None) -> str:
    text = ", ".join(filter(None, facts))
    return f" <sub>{text}</sub>" if text else ""


def commits_table(commits: Sequence[Reviewed], location: Location) -> str:
    last = {trajectory["id"]: commit for commit in commits for trajectory in commit.trajectories}
    rows = []
    for commit in commits:
        agents = agents_of(commit.trajectories) or ("merge" if commit.merge else "—")
        test_run = next(filter(None, (tests(t["tests"]) for t in commit.trajectories)), "—")
        subject = cell(commit.subject) + _note(_reverted(commit.reverted))
        accounts = (_account(t, last=last[t["id"]] is commit) for t in commit.trajectories)
        account = cell(unstructured(next(filter(None, accounts), ""))) or _describe(commit)
        rows.append((location.commit(commit.commit), subject, agents, account, test_run))
    return _table(("Commit", "Subject", "Agent", "What it says", "Tests"), rows)


def _account(header: Header, *, last: bool) -> str | None:
    """A record's account of its commit; the summary of the whole session only at its ``last`` commit."""
    summary = (header["retrospective"] or {}).get("summary") if last else None
    return own_reason(header) or header["result"] or summary or own_words(header)


def _describe(commit: Reviewed) -> str:
    """Describe a commit without an account: the agent in whose shell it was made, or its changed files."""
    if commit.traces and not commit.trajectories:
        return opened_by(agents_of(commit.traces))
    more = f" and {len(commit.files) - _FILES} more" if len(commit.files) > _FILES else ""
    names = ", ".join(code(path, 80) for path in commit.files[:_FILES])
    return f"Changes {names}{more}" if names else ""


def files_table(files: Sequence[str], change: Change, location: Location) -> str:
    by_path: dict[str, list[Reviewed]] = {}
    for commit in change.commits:
        for path in commit.files:
            by_path.setdefault(path, []).append(commit)
    edits, written = change.edits, change.written or {}
    for path, ids in written.items():
        edits.setdefault(path, [(s, {}) for s in change.sessions if s["id"] in ids])
    rows = [_file(path, by_path.get(path, ()), edits.get(path, ()), location) for path in files]
    table = _table(("File", "Commits", "Agents", "Worked on"), rows)
    unknown = sum(not commit.known for commit in change.commits)
    return f"{table}\n\nWhat {count(unknown, 'commit')} changed was not looked up." if unknown else table


def _file(
    path: str, commits: Sequence[Reviewed], edits: Sequence[tuple[Header, Header]], location: Location
) -> tuple[str, ...]:
    """A row: only sessions with a recorded edit of the file, or of its lines, are known to have changed
    it."""
    agents = agents_of(session for session, _ in edits)
    total = {key: sum(file.get(key, 0) for _, file in edits) for key in ("edits", "reverts")}
    names = ", ".join(location.commit(c.commit) for c in commits[:3]) + " …" * (len(commits) > 3)
    return location.file(path), names or "—", agents or "—", edited(total) if total["edits"] else "—"


def agents_table(change: Change, *, cost: bool) -> str:
    rows = []
    for session in change.sessions[:ROWS]:
        part = session["part"]
        tokens = part["usage"]["outputTokens"]
        sealed = f"sealed for {count(session['readers'] or 0, 'reader')}"
        thinking = {"sealed": sealed, "dropped": "not kept", "clear": "kept"}.get(session["thinking"], "—")
        models = ", ".join(session["models"])
        time, calls = duration(part["durationSeconds"]) or "—", str(part["counts"]["toolCalls"] or "—")
        output, price = short_number(tokens) if tokens else "—", (money(part) if cost else None) or "—"
        rows.append((agent_name(session["agent"]), cell(models), time, output, calls, thinking, price))
    left = len(change.sessions) - len(rows)
    table = _table(("Agent", "Model", " Time", " Tokens out", " Calls", "Thinking", " Cost"), rows)
    return table + (f"\n\n{left} more." if left else "")


def agent_of(header: Header) -> str:
    """The agent's name; for a record that is not joined with ours, also the remote's name."""
    remote = header.get("remote")
    return f"{agent_name(header['agent'])}{f' from {cell(remote)}' if remote else ''}"


def agent_name(name: str | None) -> str:
    return AGENTS.get(name or "", "") or (words(name, NAME) if name else "a person")


def agents_of(trajectories: Iterable[Header], joint: str = ", ") -> str:
    """The agents' names, each once; if there are many, the first ones and the number of others."""
    names = list(dict.fromkeys(agent_of(t) for t in trajectories if t["agent"]))
    return joint.join(names[:_NAMES]) + (f" and {len(names) - _NAMES} more" if len(names) > _NAMES else "")


def cell(text: str) -> str:
    return words(text, WORDS)
