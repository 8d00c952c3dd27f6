"""Puts a built site into the folder of its version on branch gh-pages of a remote, and into ``latest/``.

``python .ci/versions.py SITE VERSION REMOTE``. Earlier versions stay. ``versions.json`` lists all versions
for the menu, newest first; ``index.html`` leads to the latest.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BRANCH = "gh-pages"
_VERSION = re.compile(r"v?\d+(?:\.\d+)*")
_INDEX = '<!doctype html><meta http-equiv="refresh" content="0; url=latest/"><a href="latest/">git-traj</a>\n'


def main(site: Path, version: str, remote: str) -> None:
    if not _VERSION.fullmatch(version):
        raise SystemExit(f"'{version}' is not a version")
    with tempfile.TemporaryDirectory() as temp:
        pages = Path(temp)
        git(pages, "init", "--quiet", f"--initial-branch={BRANCH}")
        if git(pages, "ls-remote", remote, f"refs/heads/{BRANCH}"):
            git(pages, "pull", "--quiet", "--depth=1", remote, BRANCH)
        folders = {each.name for each in pages.iterdir() if _VERSION.fullmatch(each.name)} | {version}
        names = sorted(folders, key=_key, reverse=True)
        for name in [
            version,
            *["latest"] * (version == names[0]),
        ]:  # a fix of an older version is not the latest
            shutil.rmtree(pages / name, ignore_errors=True)
            shutil.copytree(site, pages / name)
        listed = [{"version": n, "title": n, "aliases": ["latest"] * (n == names[0])} for n in names]
        (pages / "versions.json").write_text(json.dumps(listed, indent=1) + "\n", "utf-8")
        (pages / "index.html").write_text(_INDEX, "utf-8")
        (pages / ".nojekyll").touch()
        git(pages, "add", "--all")
        git(pages, "commit", "--quiet", "--allow-empty", "-m", f"The documents of {version}")
        git(pages, "push", "--quiet", remote, f"HEAD:{BRANCH}")


def _key(version: str) -> list[int]:
    return [int(number) for number in version.removeprefix("v").split(".")]


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), *sys.argv[2:4])
