"""mkdocs' hook: points links to files outside the site to the repository; makes ``\\|`` in a table ``|``."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

_LINK = re.compile(r'(\]\(|srcset="|src=")(?!\w+:|#)([^)"#\s]+)')
_ROW = re.compile(r"^\|.*`.*$", re.MULTILINE)
_BRANCH = "/blob/main/"


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Called by mkdocs for each page."""
    docs = Path(config["docs_dir"])

    def to_repository(found: re.Match[str]) -> str:
        target = normpath(PurePosixPath(docs.name, page.file.src_uri).parent / found[2])
        inside = target.removeprefix(f"{docs.name}/")
        is_page = target.startswith(f"{docs.name}/") and files.get_file_from_path(inside) is not None
        there = (docs.parent / target).exists()
        return found[0] if is_page or not there else f"{found[1]}{config['repo_url']}{_BRANCH}{target}"

    return _LINK.sub(to_repository, _ROW.sub(lambda row: row[0].replace("\\|", "|"), markdown))
