"""What a person types where a program asks for a password: ``Enter password: …``, ``Kennwort: …``.

Such an answer may be any word, so the line must be a question and nothing else: an order to type, whose password
it is, or the sign of a dialogue. What a program shows for a typed password (stars, nothing) is no answer.
"""

# ruff: noqa: E501 - a pattern or a list of words that is cut reads worse
from __future__ import annotations

from collections.abc import Iterator

from .anchors import Anchors
from .common import DESCRIBES, DULL, STOP
from .lazy import lazy
from .names import Grade
from .phrases import NOUN
from .rules import Page, Reader, Span
from .values import Style, is_secret

# Of the line before the noun: an order to type, a question's sign.
_ASKS = lazy(
    r"(?:\b(?:enter|type|input|provide|give|retype|re-enter|repeat|confirm|new|current|old|please|bitte|geben|gib|eingeben|saisissez|saisir|entrez|tapez|introduzca|introduce|ingrese|escriba|teclee|inserisci|inserire|digita|digite|informe|introduza|insira|"
    r"voer|geef|typ|ange|skriv|mata|indtast|angiv|syötä|anna|podaj|wprowadź|wpisz|введите|введіть|zadejte|zadajte|unesite|vnesite|adja|írja|girin|introduceți|nhập|masukkan)\b[^\n:?]{0,60}"
    r"|請?请?(?:输入|輸入|入力|입력)[^\n:]{0,20}|(?:^|\n)[ \t]{0,4}(?:\?|\[sudo\]|\[su\]|▸|»|\[\?\]|\(\?\)) [^\n:?]{0,40}|[\w.@-]{2,40}['’]s )$"
)
# After the noun: whose it is, and the end of the question.
_END = lazy(
    r"(?P<of>(?: (?:for|of|to unlock|para|für|pour|de|del|do|du|di|della|для|от|för|for|till|voor|van|dla|do usuário|des Benutzers|de l'utilisateur|del usuario|dell'utente)[ ][^\n:?›]{1,60})|[ ]?\([^()\n]{1,30}\)| (?:ein|eingeben|again|once more|invoeren|girin)|を?(?:入力|输入|輸入)[^\n:]{0,12}|를 입력[^\n:]{0,10}){0,2}"
    r"(?P<sign>[ ]?[:?›»][ ]{1,2}(?:› )?|[ ]?›[ ])(?P<v>[^\s]{4,64})[ \t]*(?=\r?\n|$)"
)
_OTHER = lazy(r"[\"'`{(\[<].*|.*[\"'`,;{(\[<:]|[A-Z][a-z]+[.!]?|\W+|(?:https?:|/|~/|--|\$).*")


def answered(page: Page) -> Iterator[Span]:
    """The answers on the page to questions for a password."""
    done = 0
    for start, _ in page.hits:
        if start < done:
            continue
        noun = NOUN.match(page.lower, start)
        if not noun or not noun["strong"]:
            continue
        page.tick()
        done = noun.end()
        end = _END.match(page.text, done)
        if not end:
            continue
        line = page.text.rfind("\n", 0, start) + 1
        asks = _ASKS.search(page.lower, max(line - 1, start - 90, 0), start)
        if (
            (asks or end["of"] or "›" in end["sign"])
            and _is_answer(end["v"])
            and not _in_quotes(page, line, start)
        ):
            yield Span(*end.span("v"), "answered", "password")


def _in_quotes(page: Page, line: int, start: int) -> bool:
    before = page.text[line:start]
    return any(sign in before for sign in '"`{(=|')


def _is_answer(value: str) -> bool:
    if _OTHER.fullmatch(value):
        return False
    word = value.lower().rstrip("!?.")
    return (DULL | DESCRIBES | STOP).isdisjoint((word, word.rstrip("s"))) and is_secret(
        value, Grade.STRONG, Style.EXACT
    )


ANSWERED = Reader(
    id="answered",
    kind="password",
    find=answered,
    anchors=lambda: Anchors(names=True),
)
