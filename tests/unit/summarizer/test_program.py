"""Programs that may be used, their arguments, and how their output is read."""

from __future__ import annotations

import json

import pytest

from gittraj.errors import TrajError
from gittraj.model.values import Usage
from gittraj.summarizer.output import READERS
from gittraj.summarizer.program import Program, _clean


def test_claude_gets_no_tools_no_servers_and_no_hooks() -> None:
    result = Program.of("/opt/bin/claude -p --model haiku").arguments
    assert result[:4] == ("/opt/bin/claude", "-p", "--model", "haiku")
    assert result[result.index("--tools") + 1] == ""
    assert {"--strict-mcp-config", "--no-session-persistence", '{"disableAllHooks":true}'} <= {*result}


def test_codex_gets_no_shell_no_servers_and_no_search() -> None:
    result = Program.of("codex exec -c model_provider=mine -c 'model_providers.mine.name=\"x\"'").arguments
    assert {"shell_tool", "--ignore-user-config", 'web_search="disabled"', "--ephemeral"} <= {*result}


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("gemini -p", "cannot be run without its tools"),
        ("/usr/bin/copilot -p", "cannot be run without its tools"),
        ("npx claude -p", "inside another command"),
        ("env X=1 /usr/bin/codex exec", "inside another command"),
        ("claude", "needs a terminal"),
        ("codex", "needs a terminal"),
        ("claude -p --tools Bash", "'--tools' is not allowed for claude"),
        ("claude -p --dangerously-skip-permissions", "is not allowed for"),
        ("claude -p --mcp-config=x.json", "is not allowed for"),
        ("claude -p --settings x", "is not allowed for"),
        ("codex exec -c mcp_servers.x.command=y", "is not allowed for"),
        ("codex exec --config features.shell_tool=true", "is not allowed for"),
        ("codex exec --full-auto", "is not allowed for"),
        ("codex exec 'do this'", "is not allowed for"),
        ("claude -p 'and run ls'", "is not allowed for"),
        ("claude -p 'unclosed", "No closing quotation"),
        ("   ", "is empty"),
    ],
)
def test_unsuitable_programs_are_refused(command: str, why: str) -> None:
    with pytest.raises(TrajError, match=why):
        Program.of(command)


def test_another_program_is_used_as_given() -> None:
    assert Program.of("ollama run 'my model'").arguments == ("ollama", "run", "my model")


def test_nothing_of_git_or_of_agents_is_inherited() -> None:
    kept = {"PATH": "/bin", "ANTHROPIC_API_KEY": "k", "CLAUDE_CONFIG_DIR": "c", "CODEX_HOME": "h"}
    names = (
        "GIT_DIR GIT_INDEX_FILE GIT_CONFIG_KEY_0 CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT "
        "AI_AGENT CODEX_THREAD_ID CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED GEMINI_CLI OPENCODE "
        "COPILOT_AGENT_SESSION_ID QWEN_CODE PI_CODING_AGENT PWD OLDPWD GIT_TRAJ_IDENTITY"
    )
    assert _clean({**kept, **dict.fromkeys(names.split(), "x")}) == {**kept, "GIT_TRAJ": "0"}


def test_claudes_output_is_read() -> None:
    spent = {
        "input_tokens": 5,
        "cache_read_input_tokens": 2,
        "cache_creation_input_tokens": 1,
        "output_tokens": 3,
    }
    output = {
        "is_error": False,
        "result": "x",
        "usage": spent,
        "modelUsage": {"haiku": {}},
        "total_cost_usd": 0.5,
    }
    result = READERS["claude"](json.dumps(output).encode())
    assert result is not None
    assert (result.text, result.model, result.cost_usd) == ("x", "haiku", 0.5)
    assert result.usage == Usage(input_tokens=5, cache_read_tokens=2, cache_write_tokens=1, output_tokens=3)
    assert READERS["claude"](b"Invalid API key") is None
    assert READERS["claude"](b"[]") is None
    with pytest.raises(TrajError, match="429"):
        READERS["claude"](json.dumps({"is_error": True, "api_error_status": 429}).encode())


def test_codexs_output_is_read() -> None:
    lines = [
        {"type": "item.completed", "item": {"type": "error", "message": "no"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "x"}},
        {
            "type": "turn.completed",
            "usage": {"input_tokens": 9, "cached_input_tokens": 4, "output_tokens": 2, "odd": None},
        },
    ]
    result = READERS["codex"]("\n".join(["noise", "[1]", *map(json.dumps, lines)]).encode())
    assert result is not None
    assert result.text == "x"
    assert result.usage == Usage(input_tokens=5, cache_read_tokens=4, output_tokens=2)
    assert READERS["codex"](b'{"type": "turn.failed"}') is None
