"""Reading values of any type from foreign logs."""

from __future__ import annotations

from typing import Any

import pytest

from gittraj.formats.base import coerce


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-02-06T09:59:01.100Z", "2026-02-06T09:59:01.100Z"),
        ("2026-02-06T09:59:01Z", "2026-02-06T09:59:01.000Z"),
        ("2026-02-06T09:59:01.123456+01:00", "2026-02-06T08:59:01.123Z"),
        ("2026-02-06T09:59:01", "2026-02-06T09:59:01.000Z"),
        (1_770_000_000, "2026-02-02T02:40:00.000Z"),
        (1_770_000_000.5, "2026-02-02T02:40:00.500Z"),
        (1_770_000_000_123, "2026-02-02T02:40:00.123Z"),
        (1_770_000_000_123_456_789, "2026-02-02T02:40:00.123Z"),
        ("2026-99-99T99:99:99.999Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("soon", None),
        (True, None),
        (None, None),
        (10**400, None),
        ([], None),
    ],
)
def test_a_time_is_given_in_one_form_or_not_at_all(value: Any, expected: str | None) -> None:
    assert coerce.stamp(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a":[1]}', {"a": [1]}),
        ('"\\ud83d"', "\ufffd"),
        ("not JSON", "not JSON"),
        ("[" * 100_000, "[" * 100_000),
        (7, 7),
    ],
)
def test_a_text_is_parsed_if_it_can_be(value: Any, expected: Any) -> None:
    assert coerce.parsed(value) == expected


def test_a_count_is_never_negative_and_never_a_truth_value() -> None:
    assert [coerce.count(v) for v in (3, -1, True, 2.5, "4", None)] == [3, 0, 0, 0, 0, 0]


def test_a_cost_is_a_number_that_fits_a_float() -> None:
    assert [coerce.cost(v) for v in (1, 0.25, 10**400, True, "1", None)] == [
        1.0,
        0.25,
        None,
        None,
        None,
        None,
    ]
