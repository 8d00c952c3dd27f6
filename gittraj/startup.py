"""What keeps a start short: names of a package that are imported when they are asked for, so that nobody pays
for its other modules; and SHA-256 without OpenSSL, which takes 3 ms to load."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha256 import sha256
    except ImportError:
        try:
            from _sha2 import sha256  # its name since Python 3.12
        except ImportError:
            from hashlib import sha256

__all__ = ["lazy_names", "sha256"]


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's ``__getattr__``. ``homes``: names, with spaces between them, by the module that has them.
    None of them may be the name of a module, too."""
    home = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(f"{package}.{home[name]}"), name)

    return find
