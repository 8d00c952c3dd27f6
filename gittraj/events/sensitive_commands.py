"""Shell commands that print secrets, as a table, and how a command line is taken apart to find them.

A reading of the shell's grammar, not a shell: what it takes apart wrongly is looked at in both readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

_TOKEN = re.compile(
    r"""(?P<quoted>(?:[^\s;&|<>()`'"]{0,200})(?:'[^']*'|"(?:[^"\\]|\\.)*"))
    | (?P<op>&&|\|\||;;|[;\n|&()`]|\$\(|<\(|>\()
    | (?P<out>\d?>>?\|?\s*(?:&\d)?)
    | (?P<in><{1,3})
    | (?P<word>(?:[^\s;&|<>()`'"\\]|\\.)+)
    | (?P<rest>['"\\])""",
    re.VERBOSE | re.DOTALL,
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WRAPPERS = _words(
    """sudo doas nohup time command exec builtin nice ionice stdbuf xargs timeout watch env setsid unbuffer
    strace if then else elif while until do ! { parallel script chronic caffeinate"""
)
_SHELLS = _words(
    """bash sh zsh dash ksh fish ssh su eval docker podman nerdctl kubectl oc chroot nsenter pwsh powershell
    powershell.exe cmd cmd.exe wsl watch heroku fly flyctl script lxc nix-shell"""
)
_QUIET = _words(
    """ls ll rm touch chmod chown mkdir test [ [[ stat echo printf find fd ln mv which cd du wc basename
    dirname realpath file shred"""
)
"""Commands that name a file and do not show what is in it."""
_QUIET_GIT = _words("add rm mv check-ignore ls-files status commit reset restore checkout clean")
_SHOWS: dict[str, str] = {
    "printenv": "",
    "set": r"^(?:-o posix)?$",
    "export": r"^(?:-p)?$",
    "declare": r"^(?:-\w*[px]\w*)?\s*\w*$",
    "typeset": r"^(?:-\w*[px]\w*)?\s*\w*$",
    "gh": r"\bauth (?:token|status .*(?:-t\b|--show-token))|\bsecret\b",
    "glab": r"\bauth status .*-t\b|\bvariable (?:get|list|export)",
    "gcloud": r"\bauth (?:\S+ )?print-|\bsecrets versions access|\bsql users|\bkeys create"
    r"|\bconfig config-helper",
    "aws": r"\bsts (?!get-caller-identity|decode)|\bconfigure (?:get|list|export)"
    r"|\bsecretsmanager (?:get|batch-get)|\bssm get-param|\becr(?:-public)? get-(?:login|auth)"
    r"|\biam create-(?:access-key|login)|\bcodeartifact get-auth|\brds generate-db-auth"
    r"|\blambda get-function-conf|\bsso get-role-credentials",
    "az": r"\bget-access-token|\bkeyvault secret (?:show|download)|\bkeys? (?:list|show|renew)|\bcredential"
    r"|\bacr login.*expose|\bconnection-string|\bappsettings list|\bad sp create"
    r"|\blist-(?:keys|secrets)|\bsas\b",
    "vault": r"\b(?:read|kv get|kv list|login|token|print token|unwrap|write)\b",
    "bao": r"\b(?:read|kv get|login|token|unwrap|write)\b",
    "op": r"\b(?:read|item get|get|document get|inject|signin|run)\b",
    "pass": r"^(?!insert|ls|list|git|init|find|rm|mv|cp|help|version|$)",
    "gopass": r"^(?!insert|ls|list|git|init|find|rm|mv|cp|help|version|$)",
    "lpass": r"\b(?:show|export)\b",
    "bw": r"\b(?:get|list|export|unlock|login)\b",
    "doppler": r"\b(?:secrets|configs tokens|run)\b",
    "infisical": r"\b(?:secrets|export|run)\b",
    "chamber": r"\b(?:read|export|env|exec|list)\b",
    "security": r"\bfind-(?:generic|internet)-password|\bdump-keychain|\bexport\b",
    "secret-tool": r"\b(?:lookup|search)\b",
    "keyring": r"\bget\b",
    "kubectl": r"\b(?:get|describe|edit|create|view-secret)\b.*\bsecrets?\b|\bconfig view\b.*--raw"
    r"|\bcreate token\b",
    "oc": r"\b(?:get|describe|extract|whoami -t)\b.*(?:\bsecrets?\b|-t\b)|\bwhoami\b.*(?:-t|--show-token)",
    "helm": r"\bget (?:values|all|manifest)\b",
    "heroku": r"\bconfig\b|\bauth:token|\bpg:credentials|\bredis:credentials",
    "docker": r"\binspect\b|\bcompose\b.*\bconfig\b|\bsecret\b",
    "podman": r"\binspect\b|\bsecret inspect\b|\bcompose\b.*\bconfig\b",
    "docker-compose": r"\bconfig\b",
    "terraform": r"\b(?:output|show|state (?:show|pull)|console)\b",
    "tofu": r"\b(?:output|show|state (?:show|pull)|console)\b",
    "terragrunt": r"\b(?:output|show|state (?:show|pull))\b",
    "pulumi": r"\bconfig\b|\bstack (?:output|export)\b",
    "systemctl": r"\b(?:show|show-environment|cat)\b",
    "launchctl": r"\b(?:getenv|export|print)\b",
    "ps": r"^-?[a-z]*e[a-z]*ww?|^e|\bauxe",
    "git": r"\bcredential\S* (?:fill|get)\b|\bconfig\b.*(?:-l\b|--list|--get|extraheader|token|password)"
    r"|\bremote -v",
    "npm": r"\b(?:config|c) (?:list|ls|get)|\btoken\b|\bget\b",
    "yarn": r"\bconfig (?:list|get|npm)",
    "pip": r"\bconfig (?:list|get|debug)",
    "sops": r"(?:^|\s)(?:-d|--decrypt|decrypt|exec-)\b|(?:^|\s)-d\b",
    "age": r"(?:^|\s)(?:-d|--decrypt)\b",
    "gpg": r"(?:^|\s)(?:-d|--decrypt|--export-secret|-\w*d\w*)\b|--export-secret",
    "ansible-vault": r"\b(?:view|decrypt|edit)\b",
    "openssl": r"\b(?:rand|genrsa|genpkey|ecparam|pkcs12|pkcs8|passwd|rsa|ec|pkey|enc)\b",
    "age-keygen": "",
    "pwgen": "",
    "apg": "",
    "wg": r"\b(?:genkey|genpsk|showconf|show)\b",
    "vercel": r"\benv\b",
    "netlify": r"\benv",
    "railway": r"\bvariables?\b",
    "render": r"\benv\b",
    "fly": r"\b(?:auth token|tokens|config env)\b",
    "flyctl": r"\b(?:auth token|tokens|config env)\b",
    "firebase": r"config:get|\blogin:ci|secrets:access",
    "supabase": r"\b(?:status|secrets|projects api-keys)\b",
    "stripe": r"\bconfig\b.*--list|\blisten\b",
    "wrangler": r"\bsecret\b|\bwhoami\b",
    "consul": r"\b(?:kv get|acl)\b",
    "etcdctl": r"\bget\b",
    "redis-cli": r"\bconfig get\b",
    "credstash": r"\bget",
    "berglas": r"\baccess\b",
    "dotenvx": r"\bget\b",
    "direnv": r"\b(?:export|dump|show_dump)\b",
    "snowsql": "",
    "mysql_config_editor": r"\bprint\b",
    "nmcli": r"(?:^|\s)(?:-s|--show-secrets)\b",
    "netsh": r"\bkey=clear\b",
    "cmdkey": "",
    "klist": "",
    "ykman": r"\boath\b",
    "oathtool": "",
    "rails": r"credentials:|\bsecrets\b",
    "php": r"\bphpinfo\b",
    "minikube": r"\bdocker-env\b",
    "eksctl": r"\bwrite-kubeconfig\b",
    "doctl": r"\bauth\b|\bkubeconfig\b|\bconnection\b",
}
_INTERPRETED = re.compile(
    r"os\.environ|process\.env|\bENV(?:\[|\.(?:each|to_))|\bgetenv\(|%ENV\b|\$_ENV\b|\$_SERVER\b"
    r"|\b[Ee]nv:|keyring\.get|/proc/(?:self|\d+)/environ"
)
_SECRET_VARIABLE = re.compile(
    r"\$\{?(?:env:)?\w*(?:TOKEN|SECRET|PASS|_PWD|KEY|CRED|AUTH|DSN|DATABASE_URL|PRIVATE)\w*", re.IGNORECASE
)
_VARIABLE_READERS = _words("echo printf print write-output write-host declare cat <<<")
_HEREDOC = re.compile(
    r"\b(?:cat|tee)\b[^\n|;&<]{0,200}<<-?[ \t]*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)"
    r"(?P<rest>[^\n]*\n)(?P<body>.*?\n)?[ \t]*(?P=end)\b",
    re.DOTALL,
)
_DEEPEST = 5


def shows_secrets(command: str, is_secret_file: Callable[[str], bool], depth: int = 0) -> bool:
    """Whether a command line, or a shell command within it, prints what is secret."""
    if _INTERPRETED.search(command):
        return True
    command = _HEREDOC.sub(_without_body, command)
    return any(_shows(words, is_secret_file, depth) for words in _simple_commands(command))


def _without_body(heredoc: re.Match[str]) -> str:
    """The text that ``cat`` prints is not a command, except for expansions in it."""
    body = heredoc["body"] or ""
    kept = body if not heredoc["quote"] and re.search(r"[$`]", body) else ""
    return f"cat {heredoc['rest']}{kept}"


def _shows(words: list[str], is_secret_file: Callable[[str], bool], depth: int) -> bool:
    head, rest = _unwrap(words)
    if head is None:
        return any(_name(word) == "env" for word in words)
    bare = [_bare(word) for word in rest]
    if head in _SHOWS and re.search(_SHOWS[head], " ".join(bare), re.IGNORECASE):  # compiled when it is met
        return True
    if head in _VARIABLE_READERS and any(_SECRET_VARIABLE.search(word) for word in rest):
        return True
    if depth < _DEEPEST and _shell_shows(head, bare, is_secret_file, depth):
        return True
    quiet = head in _QUIET or (head == "git" and any(word in _QUIET_GIT for word in bare[:1]))
    return not quiet and any(is_secret_file(path) for word in (head, *bare) for path in _paths(word))


def _shell_shows(head: str, bare: list[str], is_secret_file: Callable[[str], bool], depth: int) -> bool:
    """``bash -c '…'``, ``ssh host …``: the words after any shell's name may be a command of their own."""
    if not any(_name(word) in _SHELLS for word in (head, *bare)):
        return False
    nested = (word for word in bare if " " in word or "\n" in word or ";" in word)
    if any(shows_secrets(text, is_secret_file, depth + 1) for text in nested):
        return True
    return any(_shows(bare[at:], is_secret_file, _DEEPEST) for at in _commands_within(head, bare))


def _commands_within(head: str, words: list[str]) -> Iterator[int]:
    """Where a command for a shell may begin that is not quoted, as in ``ssh host env``."""
    if head in _SHELLS:
        for at, word in enumerate(words):
            if word in ("printenv", "env", "export", "cat") or word in _SHOWS:
                yield at


def _unwrap(words: list[str]) -> tuple[str | None, list[str]]:
    """The name of a simple command and its words, without assignments, ``sudo`` and their like; ``None`` when
    nothing is left of it (a bare ``env`` prints everything)."""
    at = 0
    while at < len(words):
        word = _bare(words[at])
        if _ASSIGNMENT.match(word) or _name(word) in _WRAPPERS or (at and re.fullmatch(r"-.*|\d+\w?", word)):
            at += 1
            # an option of a wrapper may have a value: `sudo -u root`, `env -u NAME`
            if word in ("-u", "-g", "-n", "-I", "-P", "-C", "-s", "-k") and at < len(words) - 1:
                at += 1
            continue
        return _name(word), words[at + 1 :]
    return None, []


def _simple_commands(command: str) -> Iterator[list[str]]:
    words: list[str] = []
    skip = False
    for token in _TOKEN.finditer(command):
        kind, text = str(token.lastgroup), token.group()
        if kind == "op":
            yield words
            words, skip = [], False
        elif kind == "out":
            skip = "&" not in text
        elif kind in ("quoted", "word"):
            if not skip:
                words.append(text)
            skip = False
            if kind == "quoted" and '"' in text and ("$(" in text or "`" in text):
                yield from _simple_commands(_bare(text))
    yield words


def _bare(word: str) -> str:
    """Without its quotes."""
    return (
        re.sub(r"\\(.)", r"\1", word.replace("'", "").replace('"', ""))
        if any(c in word for c in "'\"\\")
        else word
    )


def _name(word: str) -> str:
    return word.replace("\\", "/").rpartition("/")[2].lower()


def _paths(word: str) -> Iterator[str]:
    """A word as a path; also what follows ``=`` (``--file=.env``), ``:`` (``HEAD:.env``) and ``@``."""
    if len(word) > 1000 or "\n" in word:
        return
    yield word
    for mark in "=:@":
        if mark in word:
            yield word.rpartition(mark)[2]
