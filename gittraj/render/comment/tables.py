"""The tables of the comment on a pull request, and its links. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from gittraj.frozen import dataclass
from gittraj.model.words import count, duration, money, own_words, short_number, tests
from gittraj.query.change import Change, Header, Reviewed
from gittraj.render.comment.flags import Flag
from gittraj.render.inert import code, words
from gittraj.render.text import terminal

PATH = 32
"""Characters of a path that a phone still shows whole: it does not wrap."""
WORDS = 300
"""Characters of one quoted text."""
_FILES = 3  # in a cell
_AGENTS = {
    "claude-code": "Claude Code",
    "codex": "Codex",
    "gemini-cli": "Gemini CLI",
    "opencode": "OpenCode",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """Where the change is shown: the host's address, the repository (OWNER/NAME), the pull request's number
    and the page of this run. Without a host nothing is a link."""

    server: str = ""
    repository: str = ""
    number: int = 0
    run: str = ""

    def file(self, path: str, *, most: int = 80) -> str:
        shown = code(_end(path, most))
        anchor = hashlib.sha256(path.encode()).hexdigest()
        return f"[{shown}]({self._pull}/files#diff-{anchor})" if self.server else shown

    def commit(self, commit: str) -> str:
        shown = code(commit[:7])
        return f"[{shown}]({self._pull}/commits/{commit})" if self.server else shown

    @property
    def _pull(self) -> str:
        return f"{self.server}/{self.repository}/pull/{self.number}"


def _end(path: str, most: int) -> str:
    """The last ``most`` characters of a path, or fewer, from a folder on."""
    if len(path) <= most:
        return path
    end = path[1 - most :]
    return f"…/{end.partition('/')[2]}" if "/" in end else f"…{end}"


def flags_table(flags: Sequence[Flag], location: Location) -> str:
    """File and reason share a cell: with two columns, a phone would show little of the second."""
    rows = [f"| {flag.icon} | {' '.join(_where(flag, location))} |" for flag in flags]
    return "\n".join(["| | Where, and why |", "|:-:|---|", *rows])


def _where(flag: Flag, location: Location) -> Iterator[str]:
    if flag.path:
        yield location.file(flag.path, most=PATH)
    yield _reason(flag, location)


def _reason(flag: Flag, location: Location) -> str:
    parts = [flag.why]
    if flag.quoted:
        parts.append(f": “{words(terminal.cut(flag.quoted, WORDS))}”")
    if flag.commits:
        parts.append(f" {', '.join(location.commit(c) for c in flag.commits[:3])}")
        parts.append(f" and {len(flag.commits) - 3} more" if len(flag.commits) > 3 else "")
    return "".join(parts)


def decisions_table(decisions: Sequence[Header]) -> str:
    rows = [
        f"| {cell(d['chosen'])} | {cell('; '.join(d['alternatives']))} "
        f"| {cell(d['reasoning'] or '')}{_by(d['by'])} | {_share(d['confidence'])} |"
        for d in decisions
    ]
    return "\n".join(["| Chosen | Rejected | Because | Sure |", "|---|---|---|--:|", *rows])


def _by(by: str) -> str:
    if by == "agent":
        return ""
    return f" <sub>{'a person' if by == 'human' else words(by)}</sub>"


def commits_table(change: Change, location: Location, most: int) -> str:
    commits, rows = change.commits, []
    for commit in commits[:most]:
        summaries = [
            t["why"] or t["result"] or (t["retrospective"] or {}).get("summary") or own_words(t) or ""
            for t in commit.trajectories
        ]
        agents = ", ".join(dict.fromkeys(agent_of(t) for t in commit.trajectories if t["agent"]))
        summary = next(filter(None, summaries), "")
        ran = next((result for t in commit.trajectories if (result := tests(t["tests"]))), "")
        rows.append(
            f"| {location.commit(commit.commit)} | {cell(commit.subject)} "
            f"| {agents or ('merge' if commit.merge else '—')} "
            f"| {_changed(commit) if commit.files and not summaries else cell(summary)} "
            f"| {ran or '—'} |"
        )
    head = "| Commit | Subject | Agent | What it says | Tests |"
    return _table(head, "|---|---|---|---|---|", rows, len(commits))


def _changed(commit: Reviewed) -> str:
    """Describes a commit without a summary by the files it changed."""
    more = f" and {len(commit.files) - _FILES} more" if len(commit.files) > _FILES else ""
    return f"Changes {', '.join(code(terminal.cut(path, 80)) for path in commit.files[:_FILES])}{more}"


def files_table(change: Change, location: Location, most: int) -> str:
    by_path: dict[str, list[Reviewed]] = {}
    for commit in change.commits:
        for path in commit.files:
            by_path.setdefault(path, []).append(commit)
    rows = [_file(path, by_path.get(path, ()), location) for path in change.files[:most]]
    table = _table("| File | Commits | Agents | Worked on |", "|---|---|---|---|", rows, len(change.files))
    unknown = sum(not commit.known for commit in change.commits)
    return f"{table}\n\nWhat {count(unknown, 'commit')} changed was not looked up." if unknown else table


def _file(path: str, commits: Sequence[Reviewed], location: Location) -> str:
    changes = [f for c in commits for t in c.trajectories for f in t["filesChanged"] if f["path"] == path]
    agents = dict.fromkeys(agent_of(t) for c in commits for t in c.trajectories if t["agent"])
    edits, reverts = sum(f["edits"] for f in changes), sum(f.get("reverts", 0) for f in changes)
    worked = count(edits, "edit") + (f", {count(reverts, 'revert')}" if reverts else "") if edits else "—"
    made = ", ".join(location.commit(c.commit) for c in commits[:3]) + (" …" if len(commits) > 3 else "")
    return f"| {location.file(path)} | {made or '—'} | {', '.join(agents) or '—'} | {worked} |"


def agents_table(change: Change, *, cost: bool) -> str:
    rows = []
    for session in change.sessions:
        part = session["part"]
        used = part["usage"]["outputTokens"]
        sealed = f"sealed for {count(session['readers'] or 0, 'reader')}"
        thinking = {"sealed": sealed, "dropped": "not kept", "clear": "kept"}.get(session["thinking"], "—")
        models = ", ".join(session["models"])
        paid = f" {money(part) or '—'} |" if cost else ""
        rows.append(
            f"| {agent_name(session['agent'])} | {cell(models)} | {duration(part['durationSeconds']) or '—'} "
            f"| {short_number(used) if used else '—'} | {part['counts']['toolCalls']} | {thinking} |{paid}"
        )
    head = "| Agent | Model | Time | Tokens out | Calls | Thinking |" + (" Cost |" if cost else "")
    rule = "|---|---|--:|--:|--:|---|" + ("--:|" if cost else "")
    return _table(head, rule, rows, len(rows))


def _table(head: str, rule: str, rows: Sequence[str], number: int) -> str:
    left = f"\n\n{number - len(rows)} more." if number > len(rows) else ""
    return "\n".join([head, rule, *rows]) + left


def agent_of(header: Header) -> str:
    """The agent's name; and the remote's, of a record that is not joined with ours."""
    remote = header.get("remote")
    return f"{agent_name(header['agent'])}{f' from {cell(remote)}' if remote else ''}"


def agent_name(name: str | None) -> str:
    return _AGENTS.get(name or "", "") or (words(terminal.cut(name, 40)) if name else "a person")


def cell(text: str) -> str:
    return words(terminal.cut(one_line(text), WORDS))


def one_line(text: str) -> str:
    return " ".join(text.split())


def _share(confidence: float | None) -> str:
    return "—" if confidence is None else f"{confidence * 100:.0f}\u00a0%"
