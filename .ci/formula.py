"""Writes a Homebrew formula from a lock: ``formula.py PYLOCK SDIST >git-traj.rb``.

PYLOCK is a pylock.toml with every dependency (PEP 751), SDIST our source distribution, as it is published on
PyPI. A package for which Homebrew has a formula is a dependency, and not a resource.
The formula has never been built: the machines that write it have no Homebrew.
"""

from __future__ import annotations

import hashlib
import sys
import tomllib
from pathlib import Path
from typing import Any

_FORMULAS = {"cryptography": "cryptography", "certifi": "certifi", "cffi": "cffi", "pycparser": "pycparser"}
"""Packages for which Homebrew has a formula, which installs their own dependencies, too."""
_LIBRARIES = ("libgit2", "libsodium", "libyaml", "python@3.13")
_HEAD = """\
class GitTraj < Formula
  include Language::Python::Virtualenv

  desc "Keeps the reasoning of AI agents in git notes, beside the commits it produced"
  homepage "https://github.com/OWNER/git-traj"
  url "{url}"
  sha256 "{digest}"
  license "MIT"

{dependencies}
"""
_TAIL = """
  def install
    virtualenv_install_with_resources
    man1.install libexec/"share/man/man1/git-traj.1"
  end

  test do
    system "git", "init", "repository"
    cd "repository" do
      system bin/"git-traj", "install"
      assert_match "Hooks: OK", shell_output("#{bin}/git-traj status")
    end
  end
end
"""


def address(name: str, content: bytes) -> str:
    """The URL of a file on PyPI: it depends only on the file's name and content."""
    digest = hashlib.blake2b(content, digest_size=32).hexdigest()
    return f"https://files.pythonhosted.org/packages/{digest[:2]}/{digest[2:4]}/{digest[4:]}/{name}"


def render(lock: dict[str, Any], *, url: str, digest: str) -> str:
    names = sorted({_FORMULAS[p["name"]] for p in lock["packages"] if p["name"] in _FORMULAS} | {*_LIBRARIES})
    dependencies = "\n".join(f'  depends_on "{name}"' for name in names)
    resources = [_resource(p) for p in lock["packages"] if p["name"] not in _FORMULAS and _applies(p)]
    return _HEAD.format(url=url, digest=digest, dependencies=dependencies) + "".join(resources) + _TAIL


def _applies(package: dict[str, Any]) -> bool:
    """Whether the package is needed elsewhere than on Windows."""
    return "win32" not in package.get("marker", "") or "!=" in package["marker"]


def _resource(package: dict[str, Any]) -> str:
    """The formula's entry for a package: its source or, if there is none, its wheel for any system."""
    wheels = (wheel for wheel in package.get("wheels", ()) if wheel["url"].endswith("-none-any.whl"))
    file = package.get("sdist") or next(wheels, None)
    if file is None:
        raise SystemExit(f"error: {package['name']} has neither a source nor a wheel for any system")
    lines = (f'url "{file["url"]}"', f'sha256 "{file["hashes"]["sha256"]}"')
    return f'\n  resource "{package["name"]}" do\n' + "".join(f"    {line}\n" for line in lines) + "  end\n"


if __name__ == "__main__":
    pylock, sdist = map(Path, sys.argv[1:])
    content = sdist.read_bytes()
    url, digest = address(sdist.name, content), hashlib.sha256(content).hexdigest()
    sys.stdout.write(render(tomllib.loads(pylock.read_text("utf-8")), url=url, digest=digest))
