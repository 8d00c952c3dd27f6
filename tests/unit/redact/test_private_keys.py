"""Private keys in every form in which terminals, diffs and source code show them."""

from __future__ import annotations

import json

import pytest

from gittraj.redact import Redactor
from gittraj.redact.examples import draw

LINES = [draw("base64", 64, number) for number in range(12)]
LAST = draw("base64", 22) + "=="
BEGIN, END = "-----BEGIN " + "RSA PRIVATE KEY-----", "-----END " + "RSA PRIVATE KEY-----"
WHOLE = [BEGIN, *LINES, LAST, END]
SHOWN = {
    "plain": "\n".join(WHOLE),
    "windows": "\r\n".join(WHOLE),
    "a diff": "\n".join("+" + line for line in WHOLE),
    "indented": "\n".join("    " + line for line in WHOLE),
    "numbered": "\n".join(f"{number:6}\t{line}" for number, line in enumerate(WHOLE, 1)),
    "numbered with arrows": "\n".join(f"{number:6}→{line}" for number, line in enumerate(WHOLE, 1)),
    "escaped": "\\n".join(WHOLE),
    "escaped twice": "\\\\n".join(WHOLE),
    "one line": BEGIN + "".join(LINES) + END,
    "with spaces": " ".join(WHOLE),
    "string literals": "\n".join(f'  "{line}\\n" +' for line in WHOLE),
    "with headers": "\n".join(
        [BEGIN, "Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", "", *LINES, END]
    ),
    "cut off": "\n".join([BEGIN, *LINES]),
}


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN.keys())
def test_no_line_of_a_private_key_is_left(shown: str) -> None:
    text = f"before\n{shown}\nafter the key"
    clean = Redactor(key=b"k" * 32).text(text)
    assert not [line for line in [*LINES, LINES[0][:20], LINES[-1][-20:]] if line in clean], clean
    assert clean.startswith("before\n")
    assert clean.endswith("after the key")
    assert clean.count("REDACTED-private-key-") == 1


@pytest.mark.parametrize("shown", SHOWN.values(), ids=SHOWN.keys())
def test_json_around_a_private_key_still_parses(shown: str) -> None:
    document = json.dumps({"stdout": json.dumps({"k": shown})})
    clean = Redactor(key=b"k" * 32).text(document)
    assert LINES[0] not in clean
    assert "REDACTED-private-key-" in json.loads(json.loads(clean)["stdout"])["k"]


def test_a_key_of_more_than_16_kb_is_redacted_completely() -> None:
    lines = [draw("base64", 64, number) for number in range(400)]
    clean = Redactor(key=b"k" * 32, seconds_per_text=60).text("\n".join(["x", BEGIN, *lines, END, "y"]))
    assert clean.startswith("x\nREDACTED-") and clean.endswith("\ny") and clean.count("\n") == 2
