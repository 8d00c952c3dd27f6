"""A temporary PostgreSQL for the tests: with its own user if we are root, on a socket, deleted at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from urllib.parse import quote

import pytest

_OPTIONS = "-c listen_addresses='' -c fsync=off -c full_page_writes=off -c autovacuum=off"


def find_programs() -> Path | None:
    """The folder of ``initdb``, which Debian does not put on PATH; None if there is none."""
    known = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb")
    return known[-1].parent if known else Path(found).resolve().parent if found else None


@contextmanager
def a_cluster() -> Iterator[str]:
    """Yields the URL of a cluster's superuser. Skips the test, with the reason, if PostgreSQL cannot run."""
    pytest.importorskip("psycopg")
    programs = find_programs()
    if programs is None:
        pytest.skip("no PostgreSQL here: apt install postgresql")
    folder = Path(mkdtemp(prefix="traj-pg-", dir="/tmp"))
    user = _own_user()
    if user is not None:
        shutil.chown(folder, user)
    data = folder / "data"

    def run(program: str, *args: str) -> None:
        env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "HOME": str(folder)}
        with (folder / "said").open("ab") as said:
            done = subprocess.run(
                [programs / program, *args],
                user=user,
                cwd=folder,
                env=env,
                stdout=said,
                stderr=said,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        assert done.returncode == 0, (folder / "said").read_text()

    try:
        run("initdb", "-D", str(data), "-U", "owner", "-A", "trust", "-E", "UTF8", "--no-sync")
        run(
            "pg_ctl",
            "-D",
            str(data),
            "-w",
            "-o",
            f"{_OPTIONS} -k {folder}",
            "-l",
            str(folder / "log"),
            "start",
        )
        try:
            yield f"postgresql:///postgres?host={quote(str(folder), safe='')}&user=owner"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own_user() -> str | None:
    """If we are root, the user that runs PostgreSQL, which refuses to run as root."""
    if os.getuid() != 0:
        return None
    names = {each.pw_name for each in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in names), None)
