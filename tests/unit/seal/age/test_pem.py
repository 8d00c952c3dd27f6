"""Only the text form that age writes is read, with white space around it and either line end."""

from __future__ import annotations

import pytest

from gittraj.seal import age

BEGIN, END = (f"-----{word} AGE ENCRYPTED FILE-----" for word in ("BEGIN", "END"))
FULL = "A" * 64


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (f"{BEGIN}\n{END}", 0),
        (f"{BEGIN}\nAAAA\n{END}\n", 3),
        (f"{BEGIN}\nAA==\n{END}", 1),
        (f"{BEGIN}\n{FULL}\n{END}", 48),
        (f" \n{BEGIN}\r\n{FULL}\r\nAAA=\r\n{END}\r\n\t", 50),
    ],
)
def test_our_own_form_is_read(text: str, size: int) -> None:
    assert age.dearmor(text) == bytes(size)


DAMAGED = [
    "",
    BEGIN,
    END,
    f"{BEGIN}{END}",
    f"{BEGIN}\nAAAA",
    f"AAAA\n{END}",
    f"{BEGIN.lower()}\nAAAA\n{END}",
    f"x{BEGIN}\nAAAA\n{END}",
    f"{BEGIN}\nAAAA\n{END}x",
    f"{BEGIN}\nComment: x\n\nAAAA\n{END}",
    f"{BEGIN}\nAAAA\n=AAAA\n{END}",
    f"{BEGIN}\n{FULL}\n\n{END}",
    f"{BEGIN}\n\n{FULL}\n{END}",
    f"{BEGIN}\nAAAA\nAAAA\n{END}",
    f"{BEGIN}\n{FULL}AAAA\n{END}",
    f"{BEGIN}\n{FULL[:60]}\nAAAA\n{END}",
    f"{BEGIN}\nAA\n{END}",
    f"{BEGIN}\nAA=\n{END}",
    f"{BEGIN}\nAB==\n{END}",
    f"{BEGIN}\nAA==AAAA\n{END}",
    f"{BEGIN}\nAA A\n{END}",
    f"{BEGIN}\nAAA \n{END}",
    f"{BEGIN}\n AAAA\n{END}",
    f"{BEGIN}\nAA-_\n{END}",
    f"{BEGIN}\nAAAé\n{END}",
    f"{BEGIN}\rAAAA\r{END}",
]


@pytest.mark.parametrize("text", DAMAGED)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(age.ArmorError):
        age.dearmor(text)
