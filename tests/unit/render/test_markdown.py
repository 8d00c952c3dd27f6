"""The Markdown page: complete, and without active content from an agent."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gittraj.render.events import Detail
from gittraj.render.inert import code, fence, quote, words
from gittraj.render.markdown.page import render_markdown
from tests.unit.render.headers import (
    HOSTILE,
    call,
    chapter,
    entry,
    event,
    full_header,
    hostile_header,
    result,
)

WORK = chapter(
    "Retry with backoff",
    event("prompt", "Retry with backoff,\nand add no dependency."),
    event("message", "I look at the client first."),
    call("Bash", command="rg -n request src"),
    call("Bash", command="pytest -q"),
    result("1 failed, 5 passed", code=1),
)


def test_a_whole_page_is_rendered() -> None:
    header = {**full_header(), "chapters": [WORK], "also": []}
    assert (
        "".join(render_markdown(entry(), [header], detail=Detail()))
        == """\
# Retry in the client, with jitter

Commit `9b440cb568f1f77c81a2689ad1638b9797809874` by Ada Lovelace, 2026-03-01

## Retry with backoff

| | |
| --- | --- |
| Status | completed |
| Agent | claude-code |
| Model | `claude-sonnet-4-5` |
| When | 2026\\-03-01 08:55 UTC · 4m |
| Tokens | 12\\.3k in + 98k cached / 1.2k out |
| Cost | `$0.04` |
| Confidence | 80% sure |
| Tests | 12 passed, 1 failed (last of 3 runs, before the commit was rewritten) |
| Thinking | 2 pieces, not stored |
| Part | Part 1 of 2 |
| Link | Carried from `fffffff` |
| Redacted | 3 secrets |
| Id | traj\\_one |

### Asked

> The API answers 429 in bursts.\\
> Retry with backoff, and add no dependency.

### Why

> Fixed delays would re-align the bursts, so retries are spread out.

### Result

> The client retries.

### Decisions

| Chose | Rejected | Why | By |
| --- | --- | --- | --- |
| full jitter | a fixed delay | fixed delays re-align the bursts | inferred |
| retry in the client | a queue |  | agent, 90% sure |

### Doubts

- Retry-After given as a date is not tested.

### Files

- `src/retry.py` (add, 2 edits, 1 revert)

### Looking back

> Bursts are spread out.

### 1. Retry with backoff

**Asked**

> Retry with backoff,\\
> and add no dependency.

> I look at the client first.

- `Bash` `rg -n request src`
- `Bash` `pytest -q`

<details><summary>exit 1</summary>

```text
1 failed, 5 passed
```

</details>
"""
    )


def test_many_calls_are_folded() -> None:
    work = [call("Bash", command=f"echo {n}") for n in range(3)] + [
        call("<b>", path="x"),
        result("no", code=1),
    ]
    header = {**full_header(), "chapters": [chapter("Many", *work)], "also": []}
    page = "".join(render_markdown(None, [header], detail=Detail()))
    folded = page[page.index("<details>") :]
    assert folded.startswith("<details><summary>4 calls: Bash ×3, &lt;b&gt;</summary>\n\n- `Bash` `echo 0`\n")
    assert folded.endswith(
        "- `<b>` `x`\n\n<details><summary>exit 1</summary>\n\n```text\nno\n```\n\n</details>\n\n</details>\n"
    )


@pytest.mark.parametrize(
    ("hostile", "plain"),
    [
        ("<img src=x onerror=y>", "&lt;img src=x onerror=y&gt;"),
        ("[click](javascript:x)", r"\[click\](javascript:x)"),
        ("![](https://evil.example/x.png)", "`![](https://evil.example/x.png)`"),
        ("@octocat/team look", "`@octocat/team` look"),
        ("fixes acme/x#5", "fixes `acme/x#5`"),
        ("# heading", "`#` heading"),
        ("- item", r"\- item"),
        ("12. item", r"12\. item"),
        ("=====", r"\====="),
        ("**bold** _it_ ~~no~~ `x`", r"\*\*bold\*\* \_it\_ `~~no~~` \`x\`"),
        ("a | b", r"a \| b"),
        ("</details> <!-- approve -->", "&lt;/details&gt; &lt;\\!-- approve --&gt;"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("end\\", "end\\\\"),
        (":tada: www.evil.example JIRA-1 a1b2c3d4", "`:tada:` `www.evil.example` `JIRA-1` `a1b2c3d4`"),
        ("(changed in a1b2c3d4)", "(changed in `a1b2c3d4`)"),
        ("two\nlines \x1b[31m", r"two lines ^\[\[31m".replace("^", r"\^")),
    ],
)
def test_plain_words_stay_plain(hostile: str, plain: str) -> None:
    assert words(hostile) == plain


@given(st.text(alphabet="`~|ab \n\\"))
def test_no_text_breaks_out_of_inline_code(text: str) -> None:
    span = code(text)
    ticks = re.match("`+", span)
    assert ticks is not None
    inner = span[len(ticks[0]) : -len(ticks[0])]
    assert ticks[0] not in re.findall("`+", inner)
    assert not inner.startswith("`")
    assert not inner.endswith("`")
    assert "|" not in span
    first, *body, last = fence(text).split("\n")
    assert first.removesuffix("text") == last
    assert not any(line.strip().startswith(last) for line in body)


@given(st.text())
def test_every_line_of_a_quotation_is_quoted(text: str) -> None:
    assert all(line.startswith(">") for line in quote(text).split("\n"))


def test_hostile_text_is_not_active() -> None:
    wild = chapter(HOSTILE, event("prompt", HOSTILE), event(HOSTILE, HOSTILE), call(HOSTILE, command=HOSTILE))
    header = {**hostile_header(), "chapters": [wild], "also": []}
    page = "".join(render_markdown(entry(subject=HOSTILE), [header], detail=Detail(everything=True)))
    bare = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", page)
    assert not {"\x1b", "\x07", "\r", "\u202e"} & set(page)
    ours = re.sub(r"</?(?:details|summary|code)>", "", bare)
    assert "<" not in ours.replace("<U", "")
    assert page.count("<details>") == page.count("</details>")
    assert "@" not in bare
    assert not re.search(r"(?<!\\)\]\(", bare)


def test_files_of_the_commit_without_an_edit_are_listed_separately() -> None:
    header = {**full_header(), "chapters": [WORK], "also": []}
    edited = header["filesChanged"][0]["path"]
    page = "".join(render_markdown({**entry(), "files": [edited, "gen`x"]}, [header], detail=Detail()))
    _, heading, rest = page.partition("\n## Files without a recorded edit\n\n")
    assert heading and rest == "A command may have written them: ``gen`x``\n"
    assert heading not in "".join(render_markdown({**entry(), "files": [edited]}, [header], detail=Detail()))
