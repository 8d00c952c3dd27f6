"""Harmless texts not written for a redactor: files of this machine, and randomly generated listings."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from pathlib import Path

_FOLDERS = {
    "certificates": ("/etc/ssl/certs/*.pem",),
    "settings": ("/etc/*", "/etc/*/*"),
    "manuals": ("/usr/share/doc/*/*",),
    "python": ("/usr/lib/python3*/*.py",),
    "javascript": ("/usr/lib/node_modules/npm/lib/*/*.js", "/usr/lib/node_modules/npm/node_modules/*/*.js"),
    "javascript minified": ("/usr/lib/node_modules/*/*.min.js", "/usr/share/javascript/*/*.min.js"),
    "packages": (
        "/usr/lib/node_modules/npm/node_modules/*/package.json",
        "/usr/lib/node_modules/*/npm-shrinkwrap.json",
    ),
    "lists": ("/usr/share/*/*.csv", "/usr/share/*/*/*.csv"),
}
_LONGEST = 60_000
_MODULES = (
    "cloud.google.com/go",
    "github.com/golang-jwt/jwt",
    "github.com/hashicorp/vault/api",
    "golang.org/x/crypto",
    "gopkg.in/yaml.v3",
    "github.com/gorilla/sessions",
    "github.com/docker/docker-credential-helpers",
    "github.com/99designs/keyring",
)
_BASE64 = string.ascii_letters + string.digits + "+/"


def families() -> tuple[str, ...]:
    return (*_FOLDERS, "go.sum", "minified", "kubernetes")


def texts(family: str, most: int) -> Iterator[tuple[str, str]]:
    """Yield names and texts of up to ``most`` files of a family; this machine may have none."""
    if family in _FOLDERS:
        paths = sorted(path for pattern in _FOLDERS[family] for path in Path("/").glob(pattern[1:]))
        random.Random(family).shuffle(paths)
        yield from _read(paths, most)
        return
    source = random.Random(family)
    draw = {"go.sum": _go_sum, "minified": _minified, "kubernetes": _kubernetes}[family]
    for number in range(most):
        yield f"{family} {number}", draw(source)


def _read(paths: list[Path], most: int) -> Iterator[tuple[str, str]]:
    found = 0
    for path in paths:
        if found == most:
            return
        try:
            text = path.read_bytes()[:_LONGEST].decode("utf-8")
        except (OSError, UnicodeDecodeError):
            continue
        if "\0" not in text and "PRIVATE KEY" not in text:
            found += 1
            yield str(path), text


def _drawn(source: random.Random, alphabet: str, length: int) -> str:
    return "".join(source.choices(alphabet, k=length))


def _go_sum(source: random.Random) -> str:
    lines = []
    for module in source.sample(_MODULES, 6):
        version = f"v{source.randint(0, 3)}.{source.randint(0, 40)}.{source.randint(0, 9)}"
        lines += [f"{module} {version}{end} h1:{_drawn(source, _BASE64, 43)}=\n" for end in ("", "/go.mod")]
    return "".join(lines)


def _minified(source: random.Random) -> str:
    names = [_drawn(source, string.ascii_lowercase, source.randint(1, 2)) for _ in range(40)]
    parts = []
    for _ in range(60):
        a, b, c = source.sample(names, 3)
        parts.append(
            source.choice(
                (
                    f"function {a}({b},{c}){{return {b}.token===void 0?{c}:{b}.token}}",
                    f"var {a}={{key:{b},password:!0,secret:{c}.secret}};",
                    f'{a}.setAttribute("type","password"),{b}.tokenize({c});',
                    f"{a}.auth=e=>{{let{{user:{b},pass:{c}}}=e;return {b}+{c}}};",
                )
            )
        )
    return "".join(parts)


def _kubernetes(source: random.Random) -> str:
    tail, digest = _drawn(source, "bcdfghjklmnpqrstvwxz2456789", 5), _drawn(source, "0123456789abcdef", 64)
    return f"""apiVersion: v1
kind: Pod
metadata:
  name: web-{tail}
  annotations:
    checksum/secret: {digest}
spec:
  serviceAccountName: default
  automountServiceAccountToken: false
  containers:
    - name: web
      image: registry.example.net/web@sha256:{digest}
      env:
        - name: DB_PASSWORD
          valueFrom:
            secretKeyRef: {{name: db-credentials, key: password}}
        - name: TOKEN_PATH
          value: /var/run/secrets/kubernetes.io/serviceaccount/token
      volumeMounts:
        - name: kube-api-access-{tail}
          mountPath: /var/run/secrets
  imagePullSecrets:
    - name: regcred
"""
