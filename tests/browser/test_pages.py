"""Pages as a browser shows them: Chromium opens what the command line wrote.

Set GIT_TRAJ_BROWSER to a folder where npm has installed playwright-core and axe-core; chromium and node are
looked for on PATH. Without them these tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gittraj.cli.common.group import call
from gittraj.model.values import (
    AnyEvent,
    Decided,
    Decision,
    FileTouched,
    Foreign,
    Message,
    NoteEvent,
    Participant,
    Prompt,
    SessionInfo,
    Summary,
    TaskRef,
    TaskSource,
    Thinking,
    ToolCall,
    ToolResult,
)
from tests.integration.repository import Git
from tests.integration.story import Story, record

pytestmark = pytest.mark.e2e
Look = Callable[..., list[dict[str, Any]]]

WINS = "window.won=1,alert(1),fetch('http://127.0.0.1:9/'),new Image().src='http://127.0.0.1:9/'"
HOSTILE = [
    f"<script>{WINS}</script>",
    f"</script></style></title></textarea><script>{WINS}</script>",
    f'<img src=x onerror="{WINS}"><svg onload="{WINS}"><body onload="{WINS}">',
    f'"><a id=x autofocus onfocus="{WINS}" href="javascript:{WINS}">x</a>',
    f"' onmouseover='{WINS}' x='",
    f"[click](javascript:{WINS}) ![](http://127.0.0.1:9/x.png) <http://127.0.0.1:9/>",
    "&lt;script&gt;window.won=1&lt;/script&gt; &#60;img src=x&#62; &amp;amp; \\u003cscript>",
    "<style>@import url(http://127.0.0.1:9/);*{background:url(http://127.0.0.1:9/)}</style>",
    "<link rel=stylesheet href=http://127.0.0.1:9/><base href=http://127.0.0.1:9/><iframe src=/>",
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'><form id=find action=http://127.0.0.1:9/>",
    "\u202egnp.exe \u2066x\u2069 \u200b\U000e0041 \x1b[31mred\x1b[0m \x1b]8;;http://127.0.0.1:9/\x07x\x1b]8;;\x07\x9b",
    f"```html\n<script>{WINS}</script>\n```\n| <img src=x onerror={WINS}> |\n|---|\n- `<b onclick={WINS}>`",
    '<!-- --!> <![CDATA[ ]]> <noscript><p title="</noscript><img src=x onerror=window.won=1>">',
]
EVIL = "\n\n".join(HOSTILE)
ACTIVE_EVENT = "document.activeElement.closest('.event')?.id"


@pytest.fixture
def look(tmp_path: Path) -> Look:
    """A function that runs jobs with ``look.mjs`` and returns the result of each."""
    folder = os.environ.get("GIT_TRAJ_BROWSER")
    if not folder:
        pytest.skip("no browser: set GIT_TRAJ_BROWSER to a folder with playwright-core and axe-core")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    node = shutil.which("node")
    if not chromium or not node:
        pytest.skip(f"no browser: {'chromium' if node else 'node'} is not on PATH")
    profile = tmp_path / "profile"

    def run(*jobs: dict[str, Any]) -> list[dict[str, Any]]:
        done = subprocess.run(
            [node, str(Path(__file__).with_name("look.mjs")), folder, str(profile), chromium],
            input=json.dumps(jobs),
            capture_output=True,
            text=True,
            check=False,
            timeout=900,
        )
        assert done.returncode == 0, done.stderr
        results: list[dict[str, Any]] = json.loads(done.stdout)
        return results

    return run


def hostile_events(text: str, number: int) -> list[AnyEvent]:
    """Make an event of every kind, with ``text`` in every field that a session can fill."""
    at = f"2026-01-01T10:{number:02}:00.000Z"
    common: dict[str, Any] = {"ts": at, "content": text, "agent": text}
    return [
        Prompt(id=f"p{number}{text[:20]}", **common),
        Thinking(id=f"t{number}", seal="abc", sealed_bytes=9, ts=at),
        Message(id=f"m{number}", **common),
        ToolCall(
            id=f"c{number}", name="Bash", call_id=f"b{number}", arguments={"command": text, text: text}, ts=at
        ),
        ToolResult(id=f"r{number}", call_id=f"b{number}", exit_code=1, is_error=True, content=text),
        ToolCall(
            id=f"e{number}",
            name=text,
            call_id=f"w{number}",
            arguments={"file_path": text, "old_string": f"{text}\nold", "new_string": f"{text}\nnew"},
            files=(FileTouched(path=text),),
            ts=text,
        ),
        Decided(
            id=f"d{number}", decision=Decision(chosen=text, alternatives=(text,), reasoning=text, by=text)
        ),
        NoteEvent(id=f"n{number}", kind="error", **common),
        Foreign(id=f"f{number}", type=text, **common),
    ]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a page and a site of a hostile session, and a page of a session of 4 MB."""
    git = Git.init(tmp_path / "repository")
    monkeypatch.chdir(git.root)
    evil = git.commit({"<img src=x onerror=alert(1)>.py": "1\n"}, HOSTILE[0])
    large = git.commit({"large.py": "1\n"}, "Large")
    with git.open() as repository:
        story = Story(repository)
        whole = SessionInfo(
            title=EVIL,
            agent=HOSTILE[2],
            agent_version=HOSTILE[3],
            models=(HOSTILE[3],),
            status=HOSTILE[4],
            session=EVIL,
            tags=(HOSTILE[2], HOSTILE[3]),
            participants=(Participant(name=EVIL),),
            task=TaskRef(title=EVIL, source=TaskSource(system="x", id=EVIL, url=f"javascript:{WINS}")),
        )
        texts = ["\n\n".join([*HOSTILE[n:], *HOSTILE[:n]]) for n in range(0, len(HOSTILE), 3)]
        events = [event for n, text in enumerate(texts) for event in hostile_events(text, n)]
        part = record(
            "traj_evil",
            n=len(events),
            whole=whole,
            segments=[story.segment("traj_evil", 0, events)],
            prompt=EVIL,
            summary=Summary(text=EVIL, by=EVIL),
            decisions=(Decision(chosen=EVIL, by=HOSTILE[3], alternatives=(EVIL,)),),
            caveats=tuple(HOSTILE),
        )
        story.note(evil, part)
        many: list[AnyEvent] = []
        for n in range(1_000):
            many += [
                *([Prompt(id=f"p{n}", content=f"Ask number {n}")] if n % 25 == 0 else []),
                Message(id=f"m{n}", content="I **look** at `it` first.\n\n- one\n- two"),
                ToolCall(id=f"c{n}", name="Bash", call_id=f"b{n}", arguments={"command": f"make step-{n}"}),
                ToolResult(id=f"r{n}", call_id=f"b{n}", content="a line of what a program prints\n" * 130),
            ]
        segments = [story.segment("traj_large", at, many[at : at + 500]) for at in range(0, len(many), 500)]
        whole = SessionInfo(title="A long session", agent="codex")
        story.note(large, record("traj_large", n=len(many), whole=whole, segments=segments, prompt="Work"))
    for args in (
        ["show", evil, "--format", "html", "-o", "evil.html"],
        ["show", large, "--format", "html", "-o", "large.html"],
        ["export", "--format", "html", "-o", "site"],
    ):
        assert call(args) == 0
    return git.root


def test_pages_in_a_browser(look: Look, written: Path) -> None:
    """Hostile text stays text, and everybody can use the pages, also that of a long session."""
    site = written / "site"
    pages = [written / "evil.html", *sorted(site.rglob("*.html"))]
    small = [page for page in pages if page.stat().st_size < 2_000_000]
    assert len(small) == len(pages) - 1
    results = look(
        *map(inspect, small), by_keyboard(written), by_link(written), on_paper(written), by_search(site)
    )
    for each in results:
        assert {request.partition(":")[0] for request in each["requests"]} == {"file"}
        assert (each["console"], each["dialogs"], each["violations"]) == ([], [], []), each["url"]
    for each in results[:-4]:
        assert each["answers"] == [["live", "0px"], None, [None, 0], 0], each["url"]

    keyboard, link, paper, search = results[-4:]
    assert keyboard["answers"] == [0, ["e-c777"], "e-c777", True, 0, "e-c777"]
    assert link["answers"] == ["e-m613", True]
    assert paper["answers"] == [True, True, 0]
    assert search["answers"] == [["Large"], "Large", "Large"]
    assert (written / "large.html").stat().st_size > 4_000_000


def inspect(page: Path) -> dict[str, Any]:
    """Make a job that checks that the page's script runs, and that no text of a session became active. Half
    of the pages are opened in dark mode, on a phone."""
    hover = "new MouseEvent('mouseover', {bubbles: true})"
    steps = [
        ["ask", "[document.documentElement.className, getComputedStyle(document.body).margin]"],
        ["ask", f"document.querySelectorAll('a, summary, button').forEach((e) => e.dispatchEvent({hover}))"],
        ["ask", "[window.won, document.querySelectorAll('img, iframe, form, base, svg').length]"],
        ["ask", "document.documentElement.scrollWidth - innerWidth"],
    ]
    again = page.parent.name == "commit" or "large" in page.name  # axe has checked such a page
    small = {"scheme": "dark", "width": 390} if again or page.parent.name == "site" else {}
    return {"url": page.as_uri(), "steps": steps, "axe": not again, **small}


def by_keyboard(written: Path) -> dict[str, Any]:
    shown = (
        "[...document.querySelectorAll('.event')].filter((event) => event.checkVisibility()).map((e) => e.id)"
    )
    steps = [
        ["ask", f"{shown}.length"],
        *(["press", "/"], ["type", "step-777"], ["wait", "hits.textContent === '1 of 2,040'"]),
        *(["ask", shown], ["press", "Enter"], ["ask", ACTIVE_EVENT], ["press", "o"]),
        ["ask", "document.activeElement.closest('.event').querySelector('details').open"],
        *(["press", "/"], ["press", "Escape"], ["wait", "hits.textContent === ''"]),
        ["ask", "document.querySelectorAll('.event[hidden], section[hidden]').length"],
        *(["click", "#e-c777 summary"], ["press", "j"], ["press", "k"], ["ask", ACTIVE_EVENT]),
    ]
    return {"url": (written / "large.html").as_uri(), "steps": steps}


def by_link(written: Path) -> dict[str, Any]:
    """Make a job that opens the address of an event in a folded chapter."""
    url = f"{(written / 'large.html').as_uri()}#e-m613"
    return {"url": url, "steps": [["ask", ACTIVE_EVENT], ["ask", "scrollY > 500"]]}


def on_paper(written: Path) -> dict[str, Any]:
    folded = "document.querySelectorAll('.chapter:not([open])').length"
    steps = [["ask", f"{folded} > 0"], ["ask", "dispatchEvent(new Event('beforeprint'))"], ["ask", folded]]
    return {"url": (written / "large.html").as_uri(), "steps": steps}


def by_search(site: Path) -> dict[str, Any]:
    """Make a job that goes from the search to a commit, to the files, to a file."""

    def has_arrived(path: str) -> str:
        return f"location.pathname.includes('{path}') && document.readyState === 'complete'"

    steps = [
        *(["press", "/"], ["type", "Ask NUMBER"], ["wait", "!document.getElementById('results').hidden"]),
        ["ask", "[...document.querySelectorAll('#results a')].map((a) => a.textContent)"],
        *(["click", "#results a"], ["wait", has_arrived("/commit/")]),
        ["ask", "document.querySelector('h1').textContent"],
        *(["click", "nav.site a:last-child"], ["wait", has_arrived("/files.html")]),
        *(["click", "input"], ["type", "large"]),
        ["wait", "document.querySelectorAll('#all li:not([hidden])').length === 1"],
        *(["click", "#all li:not([hidden]) a"], ["wait", has_arrived("/file/")]),
        ["ask", "document.querySelector('.rows a').textContent"],
    ]
    return {"url": (site / "index.html").as_uri(), "steps": steps}
