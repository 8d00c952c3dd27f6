"""Calls that print secrets (*strict*: every value is redacted), in the forms of different agents."""

from __future__ import annotations

import time

import pytest

from gittraj.events.sensitive import is_secret_file, is_strict, strict_events
from gittraj.model.values import AnyEvent, Json, Message, ToolCall, ToolResult

SHOWS = """
env
wp config get DB_PASSWORD
cat secrets/db_password.txt
docker exec db cat /run/secrets/postgres_password
cat config/master.key token.txt
python -c "print(open('.env').read())"
node -e "console.log(fs.readFileSync('.env', 'utf8'))"
env | grep TOKEN
env -0
(env)
if true; then env; fi
FOO=1 env
printenv
ls && printenv | sort
echo $(printenv)
x=$(cat .env)
set
export
export -p
Get-ChildItem Env:
cat .env
cat < .env
cat ".env"
head -5 config/prod.env
grep -v '^#' .env.local
grep PASS credentials
psql -At -c 'select api_key from tenants where id=7'
mysql -N -e "SELECT user, token FROM logins LIMIT 1"
sqlite3 app.db "select password from users where name='anna'"
jq -r .access_token tok.json
redis-cli get session:admin:token
argocd admin initial-password -n argocd
cat pw.txt
grep -rh -e password -- config/.env
git grep password -- secrets.yml
xargs -a .env
type .env & dir
sed -n 1,5p .npmrc
cat ~/.ssh/id_ed25519
cat server.pem
cat terraform.tfvars
cat ~/.aws/credentials
cat ~/.kube/config
git show HEAD:.env
sudo cat /etc/shadow
sudo -u root env
bash -c 'cat .env'
bash -lc "cd x && env | grep FOO"
sudo bash -c "env > /dev/stdout"
timeout 5 env
ssh host env
ssh host 'cd app; cat .env'
docker exec web env
docker exec web sh -c 'printenv'
kubectl exec pod -- env
gh auth token
gcloud auth print-access-token
gcloud auth application-default print-access-token
aws sts get-session-token
aws --profile p configure get aws_secret_access_key
vault kv get secret/x
vault read x
op read op://vault/item/field
pass show mail
kubectl get secret db -o yaml
kubectl -n x get secrets -o json
heroku config -a app
docker inspect web
terraform output -json
systemctl show nginx
echo $GITHUB_TOKEN
cat <<< $DB_PASSWORD
python3 -c 'import os; print(os.environ)'
""".strip().splitlines()

HARMLESS = """
cat src/secrets/manager.py docs/tokens.md
cat design/tokens.json design-tokens.yml vocabulary/tokens.txt
python -c "print(open('README.md').read())"
ls -la .env
cat .env.example
cat .env.sample
cat id_rsa.pub
cat README.md
cat src/env.py
python env.py
echo .env >> .gitignore
echo hello > .env
rm -f .env
git add .env
git status
git diff
git commit -m 'read the env'
git commit -m "env and set; printenv"
env FOO=1 python x.py
set -e
set -euo pipefail; make
export FOO=1
echo $HOME
echo hello
pytest -q
uv run pytest tests/test_env.py
sed -i s/a/b/ src/settings.py
grep -rn "password" src
grep -rni password . --include=*.ts
rg -A 3 -g '*.ts' passwords src
git grep -n credentials
psql -c 'select count(*) from tokens'
sqlite3 app.db 'select id from users where token=1'
jq '.scripts.test, .usage.total_tokens' package.json
redis-cli get counter
node index.js
npm test
docker ps
kubectl get pods
aws s3 ls
aws sts get-caller-identity
terraform plan
""".strip().splitlines()


HERE_DOCS = ("cat > notes <<'EOF'\nrun env\nenv\nEOF", 'git commit -m "$(cat <<EOF\nprintenv\n\nset\nEOF\n)"')


@pytest.mark.parametrize("command", HERE_DOCS)
def test_commands_in_a_here_document_that_is_only_written_are_harmless(command: str) -> None:
    assert not is_strict(call({"command": command}))


@pytest.mark.parametrize(
    "command", ["bash <<EOF\nenv\nEOF", "cat <<EOF\n$(cat .env)\nEOF", "cat <<EOF\nx\nEOF\nenv"]
)
def test_commands_run_from_a_here_document_count(command: str) -> None:
    assert is_strict(call({"command": command}))


def call(arguments: Json, *, name: str = "Bash", id: str = "1", call_id: str | None = None) -> ToolCall:  # noqa: A002
    return ToolCall(id=id, name=name, arguments=arguments, call_id=call_id)


@pytest.mark.parametrize("command", SHOWS)
def test_a_command_that_prints_secrets_is_strict(command: str) -> None:
    assert is_strict(call({"command": command}))


@pytest.mark.parametrize("command", HARMLESS)
def test_a_harmless_command_is_not_strict(command: str) -> None:
    assert not is_strict(call({"command": command}))


@pytest.mark.parametrize(
    "arguments",
    [
        {"file_path": "/home/ann/app/.env"},
        {"absolute_path": "/home/ann/.netrc"},
        {"path": "certs/server.pem"},
        {"cmd": "env"},
        {"command": ["bash", "-lc", "cat .env"]},
        {"command": ["cat", ".env"]},
        {"command": "bash", "args": ["-c", "printenv"]},
        {"tool": {"params": {"file": ".npmrc"}}},
        {"input": "*** Begin Patch\n*** Update File: .env\n+PORT=1"},
        {"paths": ["README", "prod.tfvars"]},
        "cat .env",
    ],
)
def test_arguments_that_name_secrets_are_strict_in_each_agents_form(arguments: Json) -> None:
    assert is_strict(call(arguments, name="anything"))


@pytest.mark.parametrize(
    "arguments",
    [
        {"file_path": "/home/ann/app/.env.example"},
        {"pattern": ".env", "path": "src"},
        {"file_path": "src/a.py", "content": "cat .env"},
        {"description": "env"},
        {},
        None,
    ],
)
def test_harmless_arguments_are_not_strict(arguments: Json) -> None:
    assert not is_strict(call(arguments, name="anything"))


def test_files_that_a_team_names_are_secret() -> None:
    assert is_secret_file("config/prod.cfg", ["config/*.cfg"])
    assert not is_secret_file("config/prod.cfg")
    assert is_strict(call({"command": "cat config/prod.cfg"}), ["config/*.cfg"])


def test_a_result_is_strict_by_its_call() -> None:
    events: list[AnyEvent] = [
        call({"command": "cat .env"}, id="1", call_id="a"),
        call({"command": "ls"}, id="2", call_id="b"),
        Message(id="3"),
        ToolResult(id="4", call_id="b"),
        ToolResult(id="5", call_id="a"),
    ]
    assert strict_events(events) == {"1", "5"}


def test_a_result_is_strict_by_a_call_in_an_earlier_part() -> None:
    events = [ToolResult(id="4", call_id="b"), ToolResult(id="5", call_id="a")]
    calls = [call("ls", call_id="b"), call("env", call_id="a")]
    assert strict_events(events, calls=calls) == {"5"}


def test_the_result_of_an_unknown_call_is_strict() -> None:
    assert strict_events([ToolResult(id="5", call_id="a")]) == {"5"}
    assert strict_events([ToolResult(id="5", call_id="a")], orphans=False) == frozenset()


def test_a_call_without_stored_arguments_is_strict_by_the_full_call() -> None:
    kept = call(None, id="1", call_id="a")
    result = ToolResult(id="2", call_id="a")
    assert strict_events([kept, result], calls=[call("cat .env", call_id="a")]) == {"1", "2"}


def test_a_result_without_an_id_is_strict_by_the_call_before_it() -> None:
    events: list[AnyEvent] = [call("env", id="1"), ToolResult(id="2"), call("ls", id="3"), ToolResult(id="4")]
    assert strict_events(events) == {"1", "2"}


@pytest.mark.parametrize("piece", ["'", '"a\\', "$(", 'a"', "bash 'bash a' ", '"$(', "env -u ", "`"])
def test_a_hostile_command_is_read_quickly(piece: str) -> None:
    start = time.process_time()
    is_strict(call({"command": piece * (20_000 // len(piece))}))
    assert time.process_time() - start < 2.0
