"""A git server over HTTP on loopback: git's own ``http-backend``; it counts the transferred bytes.

https://git-scm.com/docs/git-http-backend
"""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

from tests.integration.repository import Git

_UNAUTHORIZED = b'Status: 401\r\nWWW-Authenticate: Basic realm="git"\r\n\r\n'


@dataclass(slots=True)
class Exchange:
    """One request. ``sent`` and ``received`` are the client's byte counts, without headers."""

    method: str
    path: str
    authorization: str | None
    sent: int
    received: int = 0

    @property
    def name(self) -> str:
        """The repository's name."""
        return self.path.strip("/").partition(".git")[0]

    @property
    def token(self) -> str | None:
        """The password of the request's basic authorization."""
        if self.authorization is None:
            return None
        return base64.b64decode(self.authorization.rpartition(" ")[2]).decode().partition(":")[2]


@dataclass
class GitHost:
    """Serves the repositories below ``root`` to everybody. ``delay``: the seconds that each request takes,
    there and back."""

    root: Path
    url: str = ""
    delay: float = 0.0
    exchanges: list[Exchange] = field(default_factory=list)

    def found(self, name: str) -> Git:
        """A bare repository configured like GitHub's: any object can be fetched, and filters are allowed,
        but those of trees only with depth 0."""
        git = Git.init(self.root / f"{name}.git", "--bare")
        for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant", "http.receivepack"):
            git("config", key, "true")
        git("config", "uploadpackfilter.tree.maxDepth", "0")
        return git

    def may(self, name: str, token: str | None, *, write: bool) -> bool:
        """Whether the token allows to read, or ``write``, the repository; subclasses may refuse."""
        return True

    @property
    def moved(self) -> int:
        """The number of bytes transferred in both directions."""
        return sum(each.sent + each.received for each in self.exchanges)

    @contextmanager
    def running(self) -> Iterator[GitHost]:
        server = _Server(self)
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        host = self.server.host
        time.sleep(host.delay)
        body = self._body()
        exchange = Exchange(
            self.command, urlsplit(self.path).path, self.headers.get("Authorization"), len(body)
        )
        host.exchanges.append(exchange)
        if host.may(exchange.name, exchange.token, write="receive-pack" in self.path):
            output = Git(host.root).raw("http-backend", input=body, env=self._environment(host.root))
        else:
            output = _UNAUTHORIZED
        head, _, answer = output.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode("latin-1").split("\r\n") if line)
        exchange.received = len(answer)
        with suppress(OSError):  # git closed the connection
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in (headers | {"Content-Length": str(len(answer))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

    do_POST = do_GET  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _environment(self, root: Path) -> dict[str, str]:
        url = urlsplit(self.path)
        return {
            "GIT_PROJECT_ROOT": str(root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REQUEST_METHOD": self.command,
            "PATH_INFO": url.path,
            "QUERY_STRING": url.query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "REMOTE_ADDR": "127.0.0.1",
            "REMOTE_USER": "runner",
        }

    def log_message(self, *_: object) -> None:
        """Print nothing: ``exchanges`` has what matters."""


class _Server(ThreadingHTTPServer):
    def __init__(self, host: GitHost) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.host = host
