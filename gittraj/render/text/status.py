"""Lines of ``git traj status`` and ``doctor`` on a terminal: wrapped, and coloured by what they mean."""

from __future__ import annotations

from gittraj.render.text.terminal import Page, printable, wrap

_STYLES = (
    ("red", ("Wrong: ", "Rotate: ", "wrong: ", "Problems found.")),
    ("yellow", ("Paused ", "Off ", "note: ", "git-traj is not installed")),
    ("green", ("fixed: ", "Everything is OK.", "Nothing is wrong.")),
)


def render_line(line: str, page: Page) -> str:
    """One line, which is not escaped yet, with its line break."""
    shown = printable(line)
    indent = len(shown) - len(shown.lstrip())
    rows = wrap(shown[indent:], page.room(indent))
    first, *rest = (f"{shown[:indent]}{row}" for row in rows)
    style = next((style for style, begins in _STYLES if shown.startswith(begins)), "")
    if not style and "(git traj doctor)" in shown:
        style = "red"
    label, colon, text = first.partition(": ")
    if style:
        first, rest = page.paint(first, style), [page.paint(row, style) for row in rest]
    elif colon and not label.startswith(" "):
        first = f"{page.paint(label, 'cyan')}{colon}{text}"
    return "\n".join([first, *rest]) + "\n"
