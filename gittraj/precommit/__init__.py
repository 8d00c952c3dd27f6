"""Keeps secrets out of a commit that is being made: the ``pre-commit`` hook's part that needs Python.

``staged`` reads and writes the index, ``content`` redacts a file, ``searching`` looks for secrets that are
known by value, ``hook`` puts them together; ``redacting`` also serves the pre-commit framework.
"""

from __future__ import annotations
