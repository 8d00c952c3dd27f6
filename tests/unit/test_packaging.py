"""The files that a release is made with."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

_AUTHOR = {
    f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
FORMULA = runpy.run_path(str(ROOT / ".ci" / "formula.py"))


def package(name: str, *, sdist: bool = True, **more: Any) -> dict[str, Any]:
    def file(end: str) -> dict[str, Any]:
        return {"url": f"https://example.com/{name}-1{end}", "hashes": {"sha256": f"of {name}"}}

    wheels = [file("-cp311-win32.whl"), file("-py3-none-any.whl")]
    return {"name": name, "wheels": wheels, **({"sdist": file(".tar.gz")} if sdist else {}), **more}


def test_the_formula_has_each_package_of_the_lock_once() -> None:
    packages = [
        package("click"),
        package("cryptography"),
        package("colorama", marker="sys_platform == 'win32'"),
        package("wheelonly", sdist=False),
    ]
    text = FORMULA["render"]({"packages": packages}, url="https://example.com/ours.tar.gz", digest="ours")
    assert text.startswith("class GitTraj < Formula\n")
    assert '  url "https://example.com/ours.tar.gz"\n  sha256 "ours"\n' in text
    assert '  depends_on "cryptography"\n' in text
    assert text.count("  resource ") == 2
    assert (
        '  resource "click" do\n'
        '    url "https://example.com/click-1.tar.gz"\n    sha256 "of click"\n  end\n' in text
    )
    assert "https://example.com/wheelonly-1-py3-none-any.whl" in text


def test_the_formula_takes_our_source_from_where_the_release_uploads_it(tmp_path: Path) -> None:
    """The source is on PyPI, at an address made of its digest: no job uploads it elsewhere."""
    lock, sdist = tmp_path / "pylock.toml", tmp_path / "git_traj-1.tar.gz"
    lock.write_text("packages = []\n")
    sdist.write_bytes(b"")
    words = [sys.executable, ROOT / ".ci" / "formula.py", lock, sdist]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    digest = "0e/57/51c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"
    assert f'  url "https://files.pythonhosted.org/packages/{digest}/git_traj-1.tar.gz"\n' in text
    release = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    assert "python .ci/formula.py pylock.toml dist/*.tar.gz >" in release


def test_a_package_without_a_source_for_any_system_is_an_error() -> None:
    lone = package("lone", sdist=False)
    del lone["wheels"][1]
    with pytest.raises(SystemExit, match="lone has neither"):
        FORMULA["render"]({"packages": [lone]}, url="u", digest="d")


def test_each_version_of_the_site_has_its_own_folder(tmp_path: Path) -> None:
    """A version published again replaces itself; one of an older line does not become the latest."""
    site, remote = tmp_path / "site", tmp_path / "pages.git"
    site.mkdir()
    subprocess.run(["git", "init", "--quiet", "--bare", str(remote)], check=True)
    for version in ("v0.9.0", "v0.10.0", "v0.9.1", "v0.10.0"):
        (site / "index.html").write_text(version)
        words = [sys.executable, ROOT / ".ci" / "versions.py", site, version, remote]
        subprocess.run(words, check=True, env={**os.environ, **_AUTHOR})

    def show(name: str) -> str:
        words = ["git", "-C", str(remote), "show", f"gh-pages:{name}"]
        return subprocess.run(words, check=True, capture_output=True, text=True).stdout

    shown = [show(f"{folder}/index.html") for folder in ("latest", "v0.10.0", "v0.9.1", "v0.9.0")]
    assert shown == ["v0.10.0", "v0.10.0", "v0.9.1", "v0.9.0"]
    listed = [(each["version"], each["aliases"]) for each in json.loads(show("versions.json"))]
    assert listed == [("v0.10.0", ["latest"]), ("v0.9.1", []), ("v0.9.0", [])]
    assert "latest/" in show("index.html")
    assert "python .ci/versions.py site" in (ROOT / ".github" / "workflows" / "release.yml").read_text()


def test_the_readme_on_pypi_names_pictures_and_pages_by_full_addresses(tmp_path: Path) -> None:
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]["build"][
        "steps"
    ]
    (step,) = (step["run"] for step in steps if "README.md" in step.get("run", ""))
    (tmp_path / "README.md").write_text((ROOT / "README.md").read_text("utf-8"), "utf-8")
    named = os.environ | {"GITHUB_REPOSITORY": "ann/git-traj", "GITHUB_SHA": "0123abc"}
    subprocess.run(["bash", "-ec", step], cwd=tmp_path, check=True, env=named)
    text = (tmp_path / "README.md").read_text("utf-8")
    targets = re.findall(r'(?:\]\(|srcset="|src=")([^)"\s]+)', text)
    assert not [target for target in targets if not target.startswith("https://")]
    assert 'src="https://raw.githubusercontent.com/ann/git-traj/0123abc/docs/pictures/why.svg"' in text
    assert "](https://github.com/ann/git-traj/blob/0123abc/docs/developer.md)" in text
    assert len(targets) == len(
        re.findall(r'(?:\]\(|srcset="|src=")', (ROOT / "README.md").read_text("utf-8"))
    )
