"""Markdown texts on one line of a listing."""

from __future__ import annotations

import pytest

from gittraj.model.words import unmarked, unstructured


@pytest.mark.parametrize(
    ("quote", "shown"),
    [
        ("**No tests** for it.", "No tests for it."),
        ("**No, there is no test.", "No, there is no test."),
        ("There is no test.**", "There is no test."),
        ("2 ** 3 and **kwargs", "2 ** 3 and **kwargs"),
        ("**kwargs are not passed on.", "**kwargs are not passed on."),
    ],
)
def test_a_quotation_has_no_markup_for_bold(quote: str, shown: str) -> None:
    assert unmarked(quote) == shown


def test_a_text_on_one_line_has_no_markup_for_headings_or_bold() -> None:
    assert unstructured("## Plan\n- **Scope**: files").strip() == "- Scope: files"
