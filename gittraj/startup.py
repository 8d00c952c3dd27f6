"""Keeps startup short: a package's names are imported when they are used, without its other modules; SHA-256
comes without OpenSSL, which takes 3 ms to load. Also has the environment and options that git is started
with, which ``gittraj.cli.common.ahead`` needs before anything else is imported. This module itself imports
next to nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from hashlib import sha256
    from typing import Any
else:
    try:
        from _sha256 import sha256
    except ImportError:
        try:
            from _sha2 import sha256  # its name since Python 3.12
        except ImportError:
            from hashlib import sha256

__all__ = ["BLAME", "DISTURBING", "FIXED", "IGNORED", "lazy_names", "sha256"]

BLAME = ("blame", "-w", "-C", "--porcelain", "--no-textconv", "--encoding=UTF-8")
IGNORED = ".git-blame-ignore-revs"
"""The conventional file, which GitHub also reads, with the commits that only changed formatting."""
# The variables that `git rev-parse --local-env-vars` prints, and what they would do to our git processes:
DISTURBING = frozenset(
    (
        "GIT_DIR",  # a hook's repository, not the one we were asked about
        "GIT_WORK_TREE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_COMMON_DIR",
        "GIT_PREFIX",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_INDEX_FILE",  # in a hook often a lock file of the commit being made
        "GIT_OBJECT_DIRECTORY",  # a quarantine that git deletes
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_GRAFT_FILE",  # a history that nobody else sees
        "GIT_SHALLOW_FILE",
        "GIT_REPLACE_REF_BASE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",  # `git -c name=value` of the outer command
        "GIT_CONFIG_COUNT",
        # Not "local" to git, yet each changes what our commands print or do:
        "GIT_EXTERNAL_DIFF",
        "GIT_DIFF_OPTS",  # overrides the number of context lines
        "GIT_ATTR_SOURCE",
        "GIT_NOTES_REF",
        "GIT_LITERAL_PATHSPECS",
        "GIT_GLOB_PATHSPECS",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_ICASE_PATHSPECS",
        "GIT_QUARANTINE_PATH",  # update-ref refuses to work while it is set
        "GIT_REFLOG_ACTION",
    )
)
FIXED = {
    "LC_ALL": "C",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",  # a note belongs to the commit itself; libgit2 never substitutes either
    "GIT_NO_LAZY_FETCH": "1",  # a hook must not use the network because an object is missing (git >= 2.45)
}


def lazy_names(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return a package's ``__getattr__``. ``homes`` maps each module to the names in it, separated by spaces.
    A name must not also be that of a module."""
    from importlib import import_module  # noqa: PLC0415

    home = {name: module for module, names in homes.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(f"{package}.{home[name]}"), name)

    return find
