"""Three people and one repository: who reads whose thinking, by the real command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest

from gittraj.commands.export import EXCHANGES, FOLDERS, FORMATS
from gittraj.seal.age import encrypt, parse_recipient
from tests.e2e.scenario import Shell, Write, turn
from tests.integration.claude_session import ClaudeSession
from tests.integration.command import Said, traj
from tests.integration.records import hold_workers
from tests.integration.repository import Git
from tests.integration.searched import indexed
from tests.integration.terminal import at_terminal
from tests.sizes import size, some

CANARY = "The cormorant weighs the fish before it swallows."
LIST = ".gittraj/recipients"
ALONE = f"thinking is sealed for you alone: {LIST} is not trusted here (git traj recipients trust)"


@dataclass(frozen=True)
class Person:
    """A person with a home directory and a clone."""

    home: Path
    git: Git

    def traj(
        self, *arguments: str, status: int = 0, env: Mapping[str, str] | None = None
    ) -> tuple[list[str], list[str]]:
        """Run a command; return the lines of stdout and stderr, without this machine's folders and keys."""
        done = self.run(*arguments, env=env)
        assert done.returncode == status, done.stdout + done.stderr
        return self.lines(done.stdout), self.lines(done.stderr)

    def run(self, *arguments: str, env: Mapping[str, str] | None = None) -> Said:
        own = {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config")}
        return traj(self.git.root, *arguments, env={**own, **(env or {})})

    def lines(self, text: str) -> list[str]:
        bare = text.replace(str(self.home), "~").replace(str(self.git.root), ".")
        return re.sub(r"age1(?:pq1)?[a-z0-9]{40,}", "KEY", bare).splitlines()

    def push(self) -> None:
        """Push the branch, without the hook, which would push records in the background; then the records."""
        self.git("push", "-q", "--no-verify", "origin", "main")
        self.traj("push")

    def thinking_status(self) -> str:
        """Return the line of ``status`` about thinking."""
        (line,) = (line for line in self.traj("status")[0] if line.startswith("Thinking:"))
        return line

    def key(self) -> str:
        return self.run("keys", "export").stdout.strip()

    def think(self, name: str, thought: str = CANARY) -> None:
        """Run a session that thinks, writes a file and commits it."""
        os.environ |= {"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config")}
        session = ClaudeSession(self.git.root, name=f"{self.home.name}-{name}")
        steps = (Write(name, f"{name}\n"), Shell(f"git add -A && git commit -m '{name}'"))
        session.run([turn(*steps, think=thought), turn(say="done")], prompt=f"Please do {name}")

    def thoughts(self, rev: str = "HEAD", *options: str, env: Mapping[str, str] | None = None) -> list[str]:
        """Return the thinking that ``show --show-thinking`` prints; "(sealed)" for what it cannot open."""
        done = self.run("show", rev, "--json", "--show-thinking", *options, env=env)
        trajectories = json.loads(done.stdout)["trajectories"]
        events = [
            e for t in trajectories for c in t["chapters"] for e in c["events"] if e["type"] == "thinking"
        ]
        return ["(sealed)" if "sealed" in event else event["content"] for event in events]

    def stored(self) -> bytes:
        """Return every byte below .git: objects, packed or not, also unreachable ones, and files."""
        objects = self.git.raw("cat-file", "--batch-all-objects", "--batch", "--unordered")
        files = b"".join(p.read_bytes() for p in (self.git.root / ".git").rglob("*") if p.is_file())
        return (
            objects + files + indexed(self.git.root / ".git").encode()
        )  # the index's texts are compressed, its words stemmed


Meet = Callable[[str], Person]


@pytest.fixture
def meet(tmp_path: Path) -> Meet:
    """A function that makes a person, with git-traj in a clone of the repository that all push to."""
    server = tmp_path / "server.git"
    subprocess.run(["git", "init", "--bare", "-q", str(server)], check=True)

    def come(name: str) -> Person:
        home = tmp_path / name
        home.mkdir()
        subprocess.run(
            ["git", "clone", "-q", str(server), str(home / "pond")], check=True, capture_output=True
        )
        person = Person(home, Git(home / "pond"))
        person.git("config", "traj.push", "auto")
        person.traj("install")
        hold_workers(person.git.root / ".git/traj")
        if not person.git.succeeds("rev-parse", "HEAD"):
            person.git.commit({"README": "a pond\n"}, "first")
            person.git("push", "-q", "--no-verify", "origin", "main")
        return person

    return come


def test_three_people_read_only_what_is_sealed_for_them(meet: Meet) -> None:
    ann = meet("ann")
    assert ann.traj("keys", "init") == (
        [
            "~/.config/git-traj/identities: your key; "
            "back it up: without it, encrypted text cannot be read again",
            "KEY",
        ],
        [],
    )
    assert (ann.home / ".config/git-traj/identities").stat().st_mode & 0o777 == 0o600
    ann.think("a")
    assert ann.thinking_status() == "Thinking: sealed for 1 reader"
    assert ann.thoughts() == [CANARY]
    ann.push()
    for word in ("cormorant", "cormor*", "swallows"):
        assert ann.run("search", word).stdout == ""
    assert ann.run("search", "please do").stdout != ""
    assert CANARY.encode() not in ann.stored()
    assert "cormor" not in indexed(ann.git.root / ".git")

    bob = meet("bob")
    bob.traj("keys", "init")
    bob.traj("fetch")
    assert bob.thoughts() == ["(sealed)"]
    out, err = bob.traj("show", "--show-thinking")
    assert out[-1] == "thinking: 1 piece sealed for 1 reader"
    assert err == [
        "git-traj: sealed for others, and no key of yours opens it (git traj keys init makes one); "
        "a reader can let you in: git traj recipients add YOURKEY, git traj rewrap"
    ]

    assert ann.traj("recipients", "add", bob.key(), "--name", "bob") == (
        [
            "added: KEY bob",
            "added: KEY A U Thor",
            "commit .gittraj/recipients; git traj rewrap opens earlier seals for them",
        ],
        [],
    )
    assert ann.traj("rewrap") == (["rewrapped 1 part of 1 trajectory for 2 readers"], [])
    ann.git("add", LIST)
    ann.git("commit", "-q", "-m", "bob reads")
    ann.push()
    bob.git("pull", "-q")
    bob.traj("fetch")
    assert bob.thoughts("HEAD~1") == [CANARY]

    assert bob.traj("recipients", "list") == (
        ["you: KEY", "+ KEY bob (not trusted)", "+ KEY A U Thor (not trusted)"],
        [f"git-traj: {ALONE}"],
    )
    trusted = ["+ KEY bob", "+ KEY A U Thor", "trusted in this clone"]
    assert bob.traj("recipients", "trust") == (trusted, [])
    assert bob.traj("recipients", "add", ann.key(), "--name", "ann")[0] == ["already there: KEY ann"]
    bob.think("b", "Herons wait.")
    bob.push()

    carol = meet("carol")
    carol.traj("keys", "init")
    carol.traj("recipients", "list", status=0)
    carol.traj("fetch")
    assert (carol.thoughts(), carol.thoughts("HEAD~2")) == (["(sealed)"], ["(sealed)"])

    # ann removes bob: he can still read what he has, but nothing new
    ann.git("pull", "-q")
    ann.traj("recipients", "trust")
    assert ann.traj("recipients", "remove", "bob") == (
        [
            "removed: KEY bob",
            "not a revocation: they can still open what was sealed before, but nothing from now on",
        ],
        ["commit .gittraj/recipients; git traj reseal re-encrypts what is not pushed yet"],
    )
    ann.think("c", "Only ann.")
    ann.push()
    bob.git("pull", "-q")
    bob.traj("fetch")
    assert (bob.thoughts(), bob.thoughts("HEAD~3")) == (["(sealed)"], [CANARY])

    # ann loses her key: only bob can read the first one
    (ann.home / ".config/git-traj/identities").unlink()
    assert ann.thoughts("HEAD~3") == ["(sealed)"]
    assert ann.thinking_status() == "Thinking: sealed for 1 reader"
    again = meet("again")
    again.traj("fetch")
    assert again.thoughts("HEAD~3", "--identity", str(bob.home / ".config/git-traj/identities")) == [CANARY]


def test_a_person_who_is_not_on_the_list_is_warned(meet: Meet) -> None:
    """What others rewrap is only for those on the list."""
    ann, bob = meet("ann"), meet("bob")
    ann.traj("keys", "init")
    bob.traj("keys", "init")
    ann.git.write({LIST: f"{bob.key()}\n"})
    ann.traj("recipients", "trust")
    said = f"you are not in {LIST}, so a rewrap by others would lock you out (git traj recipients add)"
    assert ann.thinking_status() == f"Thinking: sealed for 2 readers; {said}"
    assert ann.traj("recipients", "add", ann.key())[0][0] == "added: KEY"
    assert ann.thinking_status() == "Thinking: sealed for 2 readers"


def test_a_reader_that_a_pull_request_adds_is_not_trusted(meet: Meet) -> None:
    ann, mallory = meet("ann"), meet("mallory")
    ann.traj("keys", "init")
    mallory.traj("keys", "init")
    ann.traj("recipients", "add", ann.key(), "--name", "ann")
    path = ann.git.root / LIST
    path.write_text(f"{path.read_text()}# a colleague\n{mallory.key()}\n")

    ann.think("a")
    out, err = ann.traj("recipients", "list")
    assert (out, err) == (
        ["you: KEY", "  KEY ann (not trusted)", "+ KEY a colleague (not trusted)"],
        [f"git-traj: {ALONE}"],
    )
    assert ann.thinking_status() == f"Thinking: {ALONE.removeprefix('thinking is ')}"
    ann.push()
    mallory.git("pull", "-q")
    mallory.traj("fetch")
    assert (ann.thoughts(), mallory.thoughts()) == ([CANARY], ["(sealed)"])
    assert ann.traj("recipients", "add", mallory.key(), status=1)[1] == [
        "error: .gittraj/recipients has readers that you did not add",
        "hint: git traj recipients trust, or remove them",
    ]


def test_ci_without_a_key(meet: Meet) -> None:
    """CI counts thinking, says so once and succeeds; with the list and its checksum it seals for others."""
    ann, ci = meet("ann"), meet("ci")
    ann.traj("keys", "init")
    here = {"CI": "1"}
    said = "Thinking is not stored: you have no key (git traj keys init)"
    assert said in ci.traj("install", env=here)[0]
    ci.think("a")
    out, err = ci.traj("show", env=here)
    assert err == ["git-traj: thinking is not stored: you have no key (git traj keys init)"]
    assert any("thinking dropped" in line for line in out)
    assert not (ci.home / ".config").exists()
    assert CANARY.encode() not in ci.stored()

    ci.git.write({LIST: f"{ann.key()}\n"})
    digest = sha256((ci.git.root / LIST).read_bytes()).hexdigest()
    ci.think("b")
    assert ci.traj("show", env={**here, "GIT_TRAJ_TRUST": digest})[1] == []
    ci.git("push", "-q", "--no-verify", "origin", "main")
    ci.traj("push", env=here)
    ann.git("pull", "-q")
    ann.traj("fetch")
    assert ann.thoughts() == [CANARY]
    secret = (ann.home / ".config/git-traj/identities").read_text().splitlines()[-1]
    assert ci.thoughts(env={"GIT_TRAJ_IDENTITY": secret}) == [CANARY]


def test_thinking_in_clear_can_be_sealed_afterwards(meet: Meet) -> None:
    ann = meet("ann")
    ann.git("config", "traj.thinking", "clear")
    ann.think("a")
    ann.think("b", "Herons wait.")
    assert ann.thoughts() == ["Herons wait."]
    assert ann.traj("seal", status=1)[1] == [
        "error: there are no readers to seal for",
        "hint: git traj keys init",
    ]
    ann.traj("keys", "init")
    ann.push()
    ann.think("c", "A third.")
    assert ann.traj("seal", "HEAD~1..HEAD") == (["sealed 1 part of 1 trajectory for 1 reader"], [])
    reachable = ann.git("rev-list", "--objects", "--all", "--reflog", "--no-object-names")
    kept = ann.git.raw("cat-file", "--batch", input=reachable)
    assert (b"A third." in kept, CANARY.encode() in kept) == (False, True)
    assert ann.traj("seal") == (
        ["sealed 2 parts of 2 trajectories for 1 reader"],
        ["git-traj: 2 parts already pushed: others keep their copies as they were"],
    )
    assert [ann.thoughts(rev) for rev in ("HEAD", "HEAD~1", "HEAD~2")] == [
        ["A third."],
        ["Herons wait."],
        [CANARY],
    ]
    assert ann.traj("seal") == (["sealed 0 parts of 0 trajectories for 1 reader"], [])
    assert ann.traj("doctor")[0][-1] == "Everything is OK."
    ann.git("fsck", "--full", "--strict")


def test_a_seal_opens_with_age_alone(meet: Meet, tmp_path: Path) -> None:
    ann = meet("ann")
    ann.traj("keys", "init")
    ann.think("a")
    (name,) = {
        event["sealed"]["name"]
        for trajectory in json.loads(ann.run("show", "--json").stdout)["trajectories"]
        for chapter in trajectory["chapters"]
        for event in chapter["events"]
        if "sealed" in event
    }
    assert ann.traj("export", "--seal", name, "-o", str(tmp_path / "seal.age")) == ([], [])
    assert (tmp_path / "seal.age").read_bytes().startswith(b"age-encryption.org/v1\n")
    assert ann.traj("export", "--seal", "nothing", status=1)[1][0] == "error: 'nothing' matches no seal"
    try:
        age = subprocess.run(
            ["age", "-d", "-i", str(ann.home / ".config/git-traj/identities"), str(tmp_path / "seal.age")],
            capture_output=True,
            check=True,
        )
    except FileNotFoundError:
        pytest.skip("age is not installed")
    plain = subprocess.run(["gunzip"], input=age.stdout, capture_output=True, check=False).stdout
    assert CANARY in json.loads(plain)["blocks"].values()


def test_opened_thinking_is_never_written_to_disk(meet: Meet, tmp_path: Path) -> None:
    ann = meet("ann")
    ann.traj("keys", "init")
    ann.think("a")
    for form in ("json", "markdown", "text", "timeline", "html"):
        target = tmp_path / form
        ann.traj("show", "--show-thinking", "--format", form, "-o", str(target))
        assert CANARY not in target.read_text()
    for words in (
        ["log"],
        ["log", "--json"],
        ["log", "--grep", "cormorant"],
        ["show", "--events"],
        ["show", "--format", "html"],
        ["context", "a"],
        *(["export", "--format", form] for form in FORMATS),
    ):
        done = ann.run(*words)
        assert CANARY not in done.stdout + done.stderr
    assert "sealed for 1 reader" in ann.run("export", "--format", "html").stdout
    for form in (*FOLDERS, *EXCHANGES):
        (tmp_path / f"{form}-folder").mkdir()
        ann.traj("export", "--format", form, "-o", str(tmp_path / f"{form}-folder"))
        assert any((tmp_path / f"{form}-folder").iterdir())
        for file in (tmp_path / f"{form}-folder").rglob("*"):
            assert not file.is_file() or CANARY.encode() not in file.read_bytes()
    assert CANARY.encode() not in ann.stored()


@pytest.mark.parametrize("kind", some(["ed25519", "rsa"], 1))
def test_ssh_keys_open_seals(meet: Meet, kind: str) -> None:
    ann, bob = meet("ann"), meet("bob")
    (bob.home / ".ssh").mkdir(mode=0o700)
    key = bob.home / ".ssh" / f"id_{kind}"
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "bob@pond", "-f", str(key)], check=True)
    ann.traj("keys", "init")
    out, _ = ann.traj("recipients", "add", f"{key}.pub")
    assert re.fullmatch(rf"added: ssh-{kind} SHA256:\S+ bob@pond", out[0])
    ann.think("a")
    ann.push()
    bob.git("pull", "-q")
    bob.traj("fetch")
    assert bob.thoughts() == [CANARY]
    key.chmod(0o644)
    assert bob.thoughts() == ["(sealed)"]
    path = f"~/.ssh/id_{kind}"
    why = f"git-traj: {path}: other users can read this key file (chmod 600 {path})"
    assert bob.traj("show", "--show-thinking")[1] == [why]


class _Keys(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.server.keys.get(self.path)  # type: ignore[attr-defined]
        self.send_response(200 if found is not None else 404)
        self.end_headers()
        self.wfile.write((found or "").encode())

    def log_message(self, *_: object) -> None:
        pass


def test_the_keys_of_a_github_account_are_added(meet: Meet, tmp_path: Path) -> None:
    ann = meet("ann")
    ann.traj("keys", "init")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "k")], check=True)
    public = " ".join((tmp_path / "k.pub").read_text().split()[:2])
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Keys)
    server.keys = {"/bob.keys": f"{public}\necdsa-sha2-nistp256 AAAA\n", "/eve.keys": ""}  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, daemon=True).start()
    env = {"GITHUB_SERVER_URL": f"http://127.0.0.1:{server.server_port}", "no_proxy": "*"}
    try:
        out, err = ann.traj("recipients", "add", "github:bob", env=env)
        assert re.fullmatch(r"added: ssh-ed25519 SHA256:\S+ github:bob", out[0])
        assert err == [
            "git-traj: left out: ecdsa-sha2-nistp256: an SSH key of this type can sign, but not decrypt"
        ]
        assert ann.traj("recipients", "add", "github:bob", env=env)[0][0].startswith(
            "already there: ssh-ed25519"
        )
        for name, why in (
            ("eve", "eve has no key on GitHub that can be sealed for"),
            ("nobody", f"{env['GITHUB_SERVER_URL']}/nobody.keys: there is no such user"),
            ("../x", "'../x' is not a GitHub user name"),
        ):
            assert ann.traj("recipients", "add", f"github:{name}", status=1, env=env)[1][0] == f"error: {why}"
    finally:
        server.shutdown()
        server.server_close()
    assert (ann.git.root / LIST).read_text() == f"# github:bob\n{public}\n# A U Thor\n{ann.key()}\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("age1nonsense\n", ".gittraj/recipients:1: not an age recipient"),
        (
            "# eve\necdsa-sha2-nistp256 AAAA\n",
            ".gittraj/recipients:2: an SSH key of this type can sign, but not decrypt",
        ),
    ],
)
def test_with_an_unreadable_list_thinking_is_sealed_for_oneself_alone(
    meet: Meet, text: str, why: str
) -> None:
    ann = meet("ann")
    ann.traj("keys", "init")
    ann.git.write({LIST: text})
    ann.think("a")
    assert ann.thoughts() == [CANARY]
    assert f"Thinking: sealed for you alone: {why}" in ann.thinking_status()
    assert ann.traj("recipients", "trust", status=1)[1][0].startswith(f"error: {why}")


def test_a_list_that_is_not_trusted_changes_no_seal(meet: Meet) -> None:
    """Otherwise the people on the list would lose what they can read."""
    ann, bob = meet("ann"), meet("bob")
    for person in (ann, bob):
        person.traj("keys", "init")
    ann.think("a")
    ann.git.write({LIST: f"{bob.key()}\n"})
    for verb in ("seal", "rewrap", "reseal"):
        assert ann.traj(verb, status=1)[1][-2:] == [
            "error: the list of readers is not trusted here",
            "hint: git traj recipients trust",
        ]
    ann.traj("recipients", "trust")
    (ann.home / ".config/git-traj/identities").chmod(0o644)
    path = "~/.config/git-traj/identities"
    for verb in ("rewrap", "reseal"):
        assert ann.traj(verb, status=1)[1] == [
            f"git-traj: {path}: other users can read this key file (chmod 600 {path})",
            "git-traj: 1 part not opened: no key here is for them",
        ]


def test_no_foreign_header_is_rewrapped(meet: Meet) -> None:
    """A foreign header may be of any file encrypted for that key; the readers would get its file key."""
    ann = meet("ann")
    ann.traj("keys", "init")
    ann.think("a")
    assert ann.thoughts() == [CANARY]
    foreign, _ = encrypt(b"of another repository", [parse_recipient(ann.key())])
    lines = [json.loads(line) for line in ann.git("notes", "--ref", "traj", "show").splitlines() if line]
    for line in lines:
        for headers in line.get("seals", {}).values():
            headers[:] = [foreign]
    ann.git("notes", "--ref", "traj", "add", "-f", "-m", "\n".join(map(json.dumps, lines)))
    out, err = ann.traj("rewrap", status=1)
    assert out == ["rewrapped 0 parts of 0 trajectories for 1 reader"]
    assert err[-1] == "git-traj: 1 part not opened: no key here is for them"


def test_thinking_is_not_stored_for_readers_with_keys_of_both_kinds(meet: Meet) -> None:
    ann, bob = meet("ann"), meet("bob")
    ann.traj("keys", "init")
    bob.traj("keys", "init", "--post-quantum")
    ann.traj("recipients", "add", bob.key())
    said = "not stored: some readers have post-quantum keys, and others none"
    assert ann.thinking_status() == f"Thinking: {said}"
    ann.think("a")
    assert ann.thoughts() == []
    assert CANARY.encode() not in ann.stored()


def test_an_ssh_key_with_a_passphrase_seals_but_opens_only_on_a_terminal(meet: Meet, tmp_path: Path) -> None:
    ann = meet("ann")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "pond", "-f", str(key)], check=True)
    ann.git("config", "traj.identity", str(key))
    ann.think("a")
    assert ann.thinking_status() == "Thinking: sealed for 1 reader"
    out, err = ann.traj("show", "--show-thinking")
    assert out[-1] == "thinking: 1 piece sealed for 1 reader"
    why = f"{key}: cannot ask for its passphrase: this is not a terminal"
    if find_spec("bcrypt") is None:
        why = "an SSH key with a passphrase can't be read without bcrypt (pip install 'git-traj[ssh]')"
    assert err == [f"git-traj: {why}"]


def test_installing_on_a_terminal_makes_a_key(meet: Meet) -> None:
    ann = meet("ann")
    env = {"HOME": str(ann.home), "XDG_CONFIG_HOME": str(ann.home / ".config")}
    status, output = at_terminal(ann.git.root, "install", env=env, answer=b"n\n")
    assert (status, "Created your key" in output) == (0, True)
    status, output = at_terminal(ann.git.root, "install", env=env, answer=b"n\n")
    assert (status, "key" in output) == (0, False)
    assert ann.thinking_status() == "Thinking: sealed for 1 reader"


def test_keys_are_printed_and_made_once(meet: Meet) -> None:
    ann = meet("ann")
    assert ann.traj("keys", "list") == ([], ["git-traj: you have no key (git traj keys init)"])
    assert ann.traj("keys", "export", status=1)[1] == [
        "error: you have no key",
        "hint: git traj keys init",
    ]
    ann.traj("keys", "init")
    assert ann.traj("keys", "init", status=1)[1] == [
        "error: ~/.config/git-traj/identities already exists",
        "hint: git traj keys list",
    ]
    assert ann.traj("keys", "list") == (["KEY  ~/.config/git-traj/identities"], [])


@pytest.mark.nightly
def test_many_rewrites_cost_little(meet: Meet) -> None:
    """Sealed text is carried byte for byte, so git stores it once."""
    sizes = {}
    for name, thinking in (("clear", "clear"), ("sealed", "seal")):
        person = meet(name)
        person.git("config", "traj.thinking", thinking)
        person.traj("keys", "init")
        person.think("a", " ".join(sha256(bytes([n // 256, n % 256])).hexdigest() for n in range(700)))
        person.traj("status")
        for n in range(size(4, 8)):
            person.git("commit", "-q", "--amend", "-m", f"a{n}", "--date", f"2026-02-0{n + 1}T00:00:00Z")
            person.traj("status")
        person.git("repack", "-a", "-d", "-q")
        sizes[name] = sum(
            path.stat().st_size for path in (person.git.root / ".git/objects/pack").glob("*.pack")
        )
        assert len(person.thoughts()) == 1
    assert sizes["sealed"] <= 1.3 * sizes["clear"]


def test_show_without_seals_imports_no_cryptography(git: Git) -> None:
    git.commit({"a": "1\n"}, "a")
    code = (
        "import sys; from gittraj.cli.common.group import call; call(['show', '--show-thinking']);"
        " print([m for m in sys.modules if m.split('.')[0] == 'cryptography'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=git.root, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
