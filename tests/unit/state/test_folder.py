"""What a clone stores of secrets: keyed hashes, in the order in which they became known."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gittraj.state.folder import LocalState


def state(folder: Path) -> LocalState:
    local = LocalState(folder / "traj")
    local.create()
    return local


def test_hashes_are_in_the_order_in_which_they_were_added(tmp_path: Path) -> None:
    local = state(tmp_path)
    assert local.hashes() == ()
    assert local.add_hashes(frozenset({"m"})) == {"m"}
    assert local.add_hashes(frozenset({"b", "m", "a"})) == {"m", "a", "b"}
    assert local.hashes() == ("m", "a", "b")


def test_no_hash_is_lost_when_several_are_added_at_once(tmp_path: Path) -> None:
    local = state(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: local.add_hashes(frozenset({f"{n:03d}"})), range(60)))
    assert sorted(local.hashes()) == [f"{n:03d}" for n in range(60)]


def test_only_the_owner_can_read_the_key(tmp_path: Path) -> None:
    local = state(tmp_path)
    local.add_hashes(frozenset({"a"}))
    key = tmp_path / "traj" / "redact.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert key.read_bytes() == local.key()
    assert len(local.key()) == 32


def test_exposed_trajectories_are_listed_until_the_file_is_removed(tmp_path: Path) -> None:
    local = state(tmp_path)
    local.add_exposed(frozenset({"traj_b"}))
    local.add_exposed(frozenset({"traj_a"}))
    assert local.exposed() == {"traj_a", "traj_b"}
    (tmp_path / "traj" / "exposed.json").unlink()
    assert local.exposed() == frozenset()


def test_an_unfinished_key_of_another_checkout_is_removed(tmp_path: Path) -> None:
    local = state(tmp_path)
    place = local.folder / "of-0123" / "redact.key.4711.1"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"k" * 32)
    os.utime(place, (0, 0))
    assert place in local.unfinished()
    local.tidy()
    assert not place.exists()


def test_a_folder_for_unredacted_texts_does_not_outlive_its_process_for_long(tmp_path: Path) -> None:
    local = state(tmp_path)
    with local.scratch() as folder:
        (Path(folder) / "log").write_text("a secret")
        os.utime(folder, (0, 0))
        local.tidy()  # as the next drain does if this process had been killed
        assert not Path(folder).exists()
        Path(folder).mkdir()  # it deletes its folder itself
