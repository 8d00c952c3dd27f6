"""Faults of a host or of the connection, which replace the answer to a request."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.integration.services import Reply

SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
PRIMARY = "API rate limit exceeded for installation ID 1."


class Lost(Reply):
    """The connection ends before the first byte of the answer."""

    @property
    def body(self) -> bytes:
        raise OSError


@dataclass
class Fault:
    """Replaces the answers to the next ``times`` requests whose ``METHOD PATH`` begins with the pattern
    ``request``. ``after``: the request was handled, and only its answer does not arrive. ``then`` is called
    each time: it does what somebody else does meanwhile."""

    request: str
    reply: Reply
    after: bool = False
    times: int = 1
    then: Callable[[], object] = lambda: None

    def meets(self, request: str) -> bool:
        if not self.times or not re.match(self.request, request):
            return False
        self.times -= 1
        self.then()
        return True


def message(status: int, text: str = "", **headers: str) -> Reply:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"message": text, "documentation_url": "https://docs.github.com"}, names)
