"""What a release is made with."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

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


def test_the_formula_takes_our_source_from_where_the_release_puts_it(tmp_path: Path) -> None:
    """On PyPI, by the digest of the file: no job uploads it elsewhere."""
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
