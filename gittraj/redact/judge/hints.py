"""Words that say nothing of a secret, but near which one often stands: users, logins, what is connected to.

They make the judge read a line; how much they are worth, its weights say. What names a secret is a cue.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..load import words
from ..rules import Page

HINTS = frozenset(words("words", "hints"))
PARTS = (
    " / ",
    "connecte-toi ",
    "connectez-vous ",
    "пользовател",
    "учетн",
    "учётн",
    "engångskod",
    "用户",
    "ログイン",
    "登录",
    "登入",
    "로그인",
    "вход",
    "账号",
    "帳號",
    "ユーザ",
    "계정",
    "사용자",
    "المستخدم",
    "משתמש",
    "χρήστη",
    "користувач",
)


# A word alone, as a record has for a role, hints at nothing.
_AFTER = tuple(" =:")
SIGNS = tuple(f"{word}{after}" for word in sorted(HINTS) for after in _AFTER)


def hinted(page: Page) -> Iterator[int]:
    """Where hints stand on the page."""
    lower = page.lower
    for word in HINTS & page.words:
        at = lower.find(word)
        while at >= 0:
            end = at + len(word)
            if lower[end : end + 1] in _AFTER and not lower[at - 1 : at].isalnum():
                yield at
            at = lower.find(word, end)
    for part in PARTS:
        at = lower.find(part)
        while at >= 0:
            yield at
            at = lower.find(part, at + 1)
