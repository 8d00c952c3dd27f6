"""(q) Records with text that injects Markdown into a pull request, in AgentNote's report and git-traj's.

    AGENT_NOTE=folder python -m benchmarks.hostile [TEXTS]

``folder`` is where ``npm install @wasabeef/agentnote`` was run. Both tools record the same session. Then the
prompts and answers in their records, and the commit's subject, are replaced by hostile text, as anybody could
do who can push notes; each tool's own program makes its report, and GitHub's Markdown renderer shows what is
live in it: mentions, links, images and so on.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from benchmarks.agent_note import PROGRAM, AgentNote
from benchmarks.place import home, repository, wait_for_worker
from gittraj.model.unseen import is_unseen
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.repository import Git
from tests.unit.render.test_inert import EXTENSIONS, hostile

_SINGLE = re.compile("(?<=[^\\s!-~])\ufe0f?[\u200c\u200d]?(?=[^\u200c\u200d\ufe0f])")
"""A joiner or a variation selector in legitimate use: one, after a character that is not ASCII."""
# https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
_MENTION = re.compile(r"(?<![\w`/])@[a-zA-Z\d][\w-]*")
_REFERENCE = re.compile(r"(?<![\w&])#\d+\b|\bGH-\d+\b|\b[\w.-]+/[\w.-]+#\d+\b|\b(?=\w*\d)[0-9a-f]{7,40}\b")
_HARMLESS = frozenset(("p", "code", "br"))
KINDS = ("mentions", "references", "links", "images", "elements", "hidden characters", "hidden texts")


class Seen(HTMLParser):
    """The contents of a page: its elements, its comments, and the text in which GitHub looks for mentions."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: Counter[str] = Counter()
        self.hidden: Counter[str] = Counter()
        self.text: list[str] = []
        self._quiet = 0
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self._quiet += tag in ("code", "pre", "a")

    def handle_endtag(self, tag: str) -> None:
        self._quiet = max(0, self._quiet - (tag in ("code", "pre", "a")))

    def handle_data(self, data: str) -> None:
        if not self._quiet:
            self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.hidden[data] += 1

    def handle_decl(self, decl: str) -> None:
        self.hidden[decl] += 1

    def handle_pi(self, data: str) -> None:
        self.hidden[data] += 1

    def unknown_decl(self, data: str) -> None:
        self.hidden[data] += 1


def alive(report: str, calm: str) -> Counter[str]:
    """Count what is live in ``report`` but not in ``calm``, the same report with harmless text."""
    page, usual = (
        Seen(cmarkgfm.markdown_to_html_with_extensions(text, Options.CMARK_OPT_UNSAFE, EXTENSIONS))
        for text in (report, calm)
    )
    more = page.tags - usual.tags
    return Counter(
        {
            "mentions": sum(len(_MENTION.findall(text)) for text in page.text),
            "references": sum(len(_REFERENCE.findall(text)) for text in page.text),
            "links": more["a"],
            "images": more["img"],
            "elements": sum(n for tag, n in more.items() if tag not in {*_HARMLESS, "a", "img"}),
            "hidden characters": _invisible(report),
            "hidden texts": (page.hidden - usual.hidden).total(),
        }
    )


def _invisible(report: str) -> int:
    return sum(is_unseen(char) and not char.isspace() for char in _SINGLE.sub("", report))


@dataclass(frozen=True, slots=True)
class Tool:
    """``dress(note, asked, said)`` replaces a note's prompts and answers; ``program`` reports on a commit."""

    ref: str
    program: tuple[str, ...]
    dress: Callable[[str, str, str], str]


def _dress_theirs(note: str, asked: str, said: str) -> str:
    raw = json.loads(note)
    raw["interactions"] = [each | {"prompt": asked, "response": said} for each in raw["interactions"]]
    return json.dumps(raw)


def _dress_ours(note: str, asked: str, said: str) -> str:
    lines = [json.loads(line) for line in note.splitlines()]
    words = {"title": asked, "prompt": asked, "summary": {"by": "agent", "text": said}, "result": said}
    return "".join(json.dumps(line | words) + "\n" for line in lines)


TOOLS = {
    "git-traj": Tool(
        "refs/notes/traj",
        (sys.executable, "-m", "gittraj", "pr", "--prompts", "--base", "main~", "--head"),
        _dress_ours,
    ),
    "AgentNote 1.0.8": Tool(AgentNote.ref, ("node", str(PROGRAM), "pr", "main~", "--head"), _dress_theirs),
}


def measure(folder: Path, texts: int) -> dict[str, Counter[str]]:
    """Count what was live in the reports of each tool, by kind, and in how many reports."""
    found = {name: Counter[str]() for name in TOOLS}
    with home(folder / "home"):
        git = record_both(folder / "work")
        notes = {name: git("notes", f"--ref={tool.ref}", "show", "main") for name, tool in TOOLS.items()}
        calm = _reports(git, notes, ("the subject", "what was asked", "what was said"))
        assert all(text in report for report in calm.values() for text in ("the subject", "asked", "said"))
        for seed in range(texts):
            words = hostile(seed), hostile(seed + texts), hostile(seed + 2 * texts)
            for name, report in _reports(git, notes, words).items():
                live = alive(report, calm[name])
                found[name] += live + Counter(reports=int(live.total() > 0))
    return found


def record_both(folder: Path) -> Git:
    """Make a repository with a session that wrote and committed something, recorded by both tools."""
    git = repository(folder, installed=True)
    recorder = AgentNote()
    recorder.install(folder)
    steps = Write("src/a.py", "value = 1\n"), Shell("git add --all && git commit -qm Begin")
    script = [*(turn(step, say="I go on") for step in steps), turn(say="It is done")]
    recorder.hire("claude", folder, "session").run(script, prompt="Write it and commit it")
    wait_for_worker(git)
    return git


def _reports(git: Git, notes: Mapping[str, str], words: tuple[str, str, str]) -> dict[str, str]:
    """Return each tool's report on a commit with this subject and a note with these texts."""
    subject, asked, said = words
    message = " ".join(subject.replace("\0", "").split()) or "Begin"
    commit = git("commit-tree", "main^{tree}", "-p", "main~", "-m", message)
    reports = {}
    for name, tool in TOOLS.items():
        git(
            "notes", f"--ref={tool.ref}", "add", "-F", "-", commit, input=tool.dress(notes[name], asked, said)
        )
        reports[name] = subprocess.run(
            [*tool.program, commit], cwd=git.root, capture_output=True, text=True, check=True
        ).stdout
    return reports


def render(found: Mapping[str, Counter[str]]) -> str:
    columns = ("reports", *KINDS)
    lines = [("alive in", *columns), ("---", *("---:" for _ in columns))]
    lines += [(name, *(f"{counted[column]:,}" for column in columns)) for name, counted in found.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(arguments: list[str]) -> int:
    """Returns 1 if part of a text is live in one of our reports."""
    texts = int(arguments[0]) if arguments else 200
    with tempfile.TemporaryDirectory(prefix="git-traj-hostile-", ignore_cleanup_errors=True) as folder:
        found = measure(Path(folder), texts)
    print(f"{texts} reports of each\n\n{render(found)}")
    return int(found["git-traj"].total() > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
