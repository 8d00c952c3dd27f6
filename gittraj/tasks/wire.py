"""Sends an HTTP request and parses its JSON answer, for task systems without a library of their own; also
makes the errors of all task systems.

This module must not follow redirects: urllib would send the key to whatever host the answer names. It never
retries, prompts, or quotes an answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import urlsplit

from gittraj import __version__
from gittraj.errors import TaskError
from gittraj.tasks.system import one_line

LIMIT = 1 << 20
"""The most bytes of an answer that are read: a longer answer is cut off, and so is not valid JSON."""
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer to an HTTP request; the names of its headers are in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def value(self, service: str) -> dict[str, Any]:
        """The body, parsed as a JSON object. Raises TaskError."""
        value = parse_object(self.body)
        if value is None:
            raise unreadable(service)
        return value


def parse_object(text: bytes) -> dict[str, Any] | None:
    """Parse a JSON object; None if ``text`` is something else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def ask(
    url: str, *, service: str, key: str, headers: Mapping[str, str], timeout: float, body: Any = None
) -> Answer:
    """Send a GET request, or POST ``body`` as JSON. ``key`` names the variable with the credential that is in
    ``headers``; ``timeout`` is in seconds. Raises TaskError if there is no answer."""
    import urllib.request  # noqa: PLC0415 - 30 ms, with http.client and ssl: only when it is needed
    from http.client import HTTPException  # noqa: PLC0415
    from urllib.error import HTTPError  # noqa: PLC0415

    class NoRedirects(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    check(url, headers, service=service, key=key)
    all_headers = {"Accept": "application/json", "User-Agent": f"git-traj/{__version__}", **headers}
    data = None if body is None else json.dumps(body).encode()
    if data is not None:
        all_headers["Content-Type"] = "application/json"
    request = urllib.request.Request(url, data, all_headers)  # noqa: S310 - check() allows http and https
    try:
        try:
            with urllib.request.build_opener(NoRedirects).open(request, timeout=timeout) as response:
                return _answer(response.status, response.headers, response)
        except HTTPError as refused:
            with refused:
                return _answer(refused.code, refused.headers, refused)
    except OSError as error:
        raise _unreached(error, service, timeout) from None
    except (HTTPException, ValueError):  # the error's text may quote the request
        raise unreadable(service) from None


def check(url: str, headers: Mapping[str, str], *, service: str, key: str) -> None:
    """Raise TaskError if the credential would be sent unencrypted, or could appear in an error."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise TaskError(f"the address of {service} is not an http or https URL", reason="network")
    if parts.scheme == "http" and parts.hostname not in _LOCAL_HOSTS:
        raise TaskError(
            f"{service} was not called over http: the key would be sent unencrypted",
            "use an https address",
            reason="key",
        )
    if not all(value.isascii() and value.isprintable() for value in headers.values()):
        raise TaskError(f"{key} contains characters that a key cannot have", "set it again", reason="key")


def _answer(status: int, headers: Any, stream: IO[bytes]) -> Answer:
    return Answer(status=status, headers={k.lower(): v for k, v in headers.items()}, body=stream.read(LIMIT))


def refusal(
    answer: Answer, *, service: str, key: str, task: str, without_key: str | None = None
) -> TaskError:
    """Return the error for an unsuccessful status. ``without_key`` is the hint if no key was sent."""
    match answer.status:
        case 401 | 403 | 404 if without_key:
            why = f"{service} refuses {one_line(task, 80)} without a key, or does not have it"
            return TaskError(why, without_key, reason="unknown" if answer.status == 404 else "key")
        case 401 | 403:
            return wrong_key(service, key)
        case 404 | 410:
            return unknown(service, task)
        case 429:
            return limited(service, answer.headers.get("retry-after"))
        case status if 300 <= status < 400:
            host = urlsplit(answer.headers.get("location", "")).hostname or "somewhere else"
            return TaskError(
                f"{service} redirects to {one_line(host, 100)}; the key was not sent there",
                "configure its new address",
                reason="network",
            )
        case status:
            return TaskError(f"{service} failed with status {status}", "try later", reason="network")


def wrong_key(service: str, key: str) -> TaskError:
    return TaskError(f"{service} does not accept {key}", "check whether it is still valid", reason="key")


def unknown(service: str, task: str) -> TaskError:
    return TaskError(
        f"{service} has no task {one_line(task, 80)}, or does not show it",
        "check whether the id is right",
        reason="unknown",
    )


def limited(service: str, seconds: str | None = None) -> TaskError:
    """Return the error for too many requests; ``seconds`` is the wait that the service stated, if any."""
    when = f"in {seconds} seconds" if seconds and seconds.isdecimal() and len(seconds) < 7 else "later"
    return TaskError(f"{service} got too many requests", f"try again {when}", reason="limit")


def unreadable(service: str) -> TaskError:
    return TaskError(f"{service} answered with something that cannot be read", "try later", reason="answer")


def late(service: str, seconds: float) -> TaskError:
    return TaskError(f"{service} did not answer within {seconds:g} seconds", "try later", reason="network")


def unreached(service: str, why: str) -> TaskError:
    return TaskError(
        f"{service} cannot be reached: {one_line(why, 100)}", "try again when online", reason="network"
    )


def _unreached(error: OSError, service: str, timeout: float) -> TaskError:
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return late(service, timeout)
    return unreached(service, (isinstance(cause, OSError) and cause.strerror) or type(cause).__name__)
