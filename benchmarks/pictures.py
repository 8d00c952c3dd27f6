"""Takes screenshots of our comment on a pull request, as GitHub shows it, in every state of a pull request.

    GIT_TRAJ_E2E_AGENTS=folder MARKDOWN_CSS=folder python -m benchmarks.pictures FOLDER [STATE …]

``MARKDOWN_CSS`` is where ``npm install github-markdown-css`` was run; ``chromium-headless-shell`` and
``pngquant`` must be on PATH. Prints for each state the height of the comment above its folded sections.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import cmarkgfm
from cmarkgfm.cmark import Options

from benchmarks.pictured import TITLE, make_branch
from benchmarks.place import home
from gittraj.git import open_repository
from gittraj.notes.store import NotesRef
from gittraj.query.change import Change, Reviewed, Rewritten
from gittraj.query.read_change import read_change
from gittraj.query.records import Recorded
from gittraj.render.comment.comment import CommentOptions, render_comment
from gittraj.render.comment.tables import Location
from tests.unit.render.test_inert import EXTENSIONS

WIDTHS = {"desktop": 900, "phone": 390}
FOLD = 650
"""Limit of the height above the folded sections on a desktop, in pixels."""
_LOCATION = Location(
    server="https://github.com",
    repository="acme/shop",
    number=7,
    run="https://github.com/acme/shop/actions/runs/1",
)
_ALERT = re.compile(r"<blockquote>\s*<p>\[!(WARNING|NOTE)\]\s*(.*?)</p>\s*</blockquote>", re.DOTALL)
_PAGE = """<!doctype html><meta charset="utf-8"><style>{css}
body {{ margin: 0; padding: 16px; background: {ground} }}
article {{ border: 1px solid {line}; border-radius: 6px; background: {ground} }}
header {{ font: 14px sans-serif; padding: 8px 16px; border-bottom: 1px solid {line}; color: {ink};
          background: {shade}; border-radius: 6px 6px 0 0 }}
.markdown-body {{ padding: 16px; font-size: 14px; border-radius: 6px }}
</style><body><article><header><b>github-actions</b> bot commented</header>
<div class="markdown-body">{body}</div></article>
<script>document.title = [document.body.scrollHeight,
  (document.querySelector("details") || document.querySelector("sub")).getBoundingClientRect().top -
  document.querySelector(".markdown-body").getBoundingClientRect().top,
  document.querySelector(".markdown-body").scrollWidth - document.querySelector(".markdown-body").clientWidth
].map(Math.round)</script>"""
_COLOURS = {
    "light": {"ground": "#ffffff", "line": "#d1d9e0", "ink": "#59636e", "shade": "#f6f8fa"},
    "dark": {"ground": "#0d1117", "line": "#3d444d", "ink": "#9198a1", "shade": "#151b23"},
}


def states(full: Change) -> Mapping[str, Change]:
    """Return a variant of ``full`` (which real agents made) for each state that a pull request may be in."""
    own = full.commits
    recorded = tuple(commit for commit in own if commit.trajectories)
    sealed = tuple({**session, "thinking": "sealed"} for session in full.sessions)
    files = tuple(f"src/a/rather/deep/folder/of/the/shop/file_number_{n}.py" for n in range(400))
    many = tuple(
        replace(own[n % len(own)], commit=f"{n:07x}{own[0].commit[7:]}", files=files[3 * n : 3 * n + 3])
        for n in range(120)
    )
    return {
        "full": full,
        "whole": replace(full, commits=recorded),
        "none": _bare(full, own),
        "no-records": replace(_bare(full, own), notes=None),
        "force-pushed": replace(full, rewritten=Rewritten(before="3f2a9c1" + "0" * 33)),
        "merged": replace(full, merged=own[2].commit, carried=4),
        "fork": replace(full, fork="mallory/shop"),
        "sealed": replace(full, sessions=sealed),
        "long": replace(full, commits=many, files=files, more=(30, 200)),
    }


def _bare(full: Change, commits: tuple[Reviewed, ...]) -> Change:
    return replace(full, commits=tuple(replace(c, trajectories=()) for c in commits), sessions=())


def real_change(folder: Path, programs: Path) -> Change:
    with home(folder / "home"):
        workshop = make_branch(folder / "shop", programs)
        with open_repository(workshop.path) as repository:
            notes = NotesRef(repository)
            change = read_change(repository, Recorded(notes.items()), "main", "retry", notes=notes.tip())
    return replace(change, title=TITLE)


def draw(text: str, folder: Path, name: str, *, css: Path) -> list[tuple[Path, int, int]]:
    """Take screenshots of ``text`` in both widths and colours. For each, returns its path, the height above
    its folded sections and its excess width, in pixels."""
    body = cmarkgfm.markdown_to_html_with_extensions(text, Options.CMARK_OPT_UNSAFE, EXTENSIONS)
    body = _ALERT.sub(_alert, body)
    drawn = []
    for size, width in WIDTHS.items():
        for colour, colours in _COLOURS.items():
            page = folder / f"{name}-{size}-{colour}.html"
            style = (css / f"github-markdown-{colour}.css").read_text("utf-8")
            page.write_text(_PAGE.format(css=style, body=body, **colours), "utf-8")
            dom = _chromium(page, f"--window-size={width},900", "--dump-dom")
            match = re.search(r"<title>(\d+),(-?\d+),(-?\d+)</title>", dom)
            assert match, dom[:500]
            height, fold, excess = (int(number) for number in match.groups())
            picture = page.with_suffix(".png")
            _chromium(
                page,
                f"--window-size={width},{height}",
                "--force-device-scale-factor=2",
                f"--screenshot={picture}",
            )
            subprocess.run(["pngquant", "--force", "--output", picture, "64", picture], check=True)
            drawn.append((picture, fold, excess))
    return drawn


def _alert(match: re.Match[str]) -> str:
    kind = match[1].lower()
    title = f'<p class="markdown-alert-title">{kind.title()}</p>'
    return f'<div class="markdown-alert markdown-alert-{kind}">{title}<p>{match[2]}</p></div>'


def _chromium(page: Path, *options: str) -> str:
    options_for_all = ("--no-sandbox", "--hide-scrollbars", "--disable-gpu")
    command = ["chromium-headless-shell", *options_for_all, *options, page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=90, check=True).stdout


def main(arguments: list[str]) -> int:
    """Returns 1 if a comment is higher than the limit."""
    folder, *wanted = Path(arguments[0]).resolve(), *arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    css = Path(os.environ["MARKDOWN_CSS"], "node_modules", "github-markdown-css")
    programs = Path(os.environ["GIT_TRAJ_E2E_AGENTS"], "node_modules", ".bin").resolve()
    with tempfile.TemporaryDirectory(prefix="git-traj-pictures-", ignore_cleanup_errors=True) as place:
        change = real_change(Path(place), programs)
    too_high = 0
    for name, state in states(change).items():
        if wanted and name not in wanted:
            continue
        text = render_comment(state, _LOCATION, CommentOptions())
        (folder / f"{name}.md").write_text(text, "utf-8")
        for picture, fold, excess in draw(text, folder, name, css=css):
            size = picture.stat().st_size
            print(f"{picture.name}: {fold} px above the folds, {excess} px too wide, {size} bytes")
            too_high += "desktop" in picture.name and fold > FOLD
    return int(too_high > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
