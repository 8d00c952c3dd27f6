"""Variables that an agent sets in the shells that it opens: the one table of them."""

from __future__ import annotations

SESSIONS = {
    "CODEX_THREAD_ID": "codex",  # a subagent's CODEX_SESSION_ID is its parent's
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "AMP_CURRENT_THREAD_ID": "amp",
}
"""Their values are session ids; the other variables say only that an agent runs."""
UNKNOWN = "unknown"
"""The name of an agent that is known to run, but not which one it is."""
LOGGED = {
    "GEMINI_CLI": "gemini-cli",
    "KILO": "kilo",  # which sets the next one, too
    "OPENCODE": "opencode",
    "QWEN_CODE": "qwen-code",
    "PI_CODING_AGENT": "pi",
    "CURSOR_AGENT": "cursor",
    "CLINE_CONNECTOR_CLI_LAUNCH": "cline",
}
"""Set by agents whose logs are read."""
CONFIGURED = {"MSWEA_CONFIGURED": "mini-swe-agent"}
"""Set wherever an agent is configured, running or not: they only help to find a commit in its log."""
SIGNS = {
    **LOGGED,
    "GOOSE_TERMINAL": "goose",
    "AUGMENT_AGENT": "augment",
    "ANTIGRAVITY_AGENT": "antigravity",
    "AGENT_THREAD_ID": UNKNOWN,
    "AI_AGENT": UNKNOWN,
    "AGENT": UNKNOWN,
    **CONFIGURED,
}
