"""When a session is over: by its log's last change, or in a store by its own."""

from __future__ import annotations

import os
from pathlib import Path

from gittraj.state.changed import IDLE, over_at


def test_a_session_of_a_store_is_over_though_others_go_on(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert over_at(log, 100) == over_at(log, 1_700_000_000_000) == over_at("", 100) == 0
    log.touch()
    os.utime(log, (1_800_000_000, 1_800_000_000))
    assert over_at(log, 100) == 1_800_000_000 + IDLE
    assert over_at(log, 1_700_000_000_000) == 1_700_000_000 + IDLE
