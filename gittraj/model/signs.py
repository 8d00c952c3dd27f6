"""The only table of the variables that agents set in the shells that they open."""

from __future__ import annotations

SESSIONS = {
    "CODEX_THREAD_ID": "codex",  # a subagent's CODEX_SESSION_ID is its parent's
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "AMP_CURRENT_THREAD_ID": "amp",
}
"""Variables with the id of the session. All other variables show only that an agent runs."""
UNKNOWN = "unknown"
"""The name for an agent if a variable shows that one runs, but not which."""
LOGGED = {
    "GEMINI_CLI": "gemini-cli",
    "KILO": "kilo",  # kilo also sets the next variable
    "OPENCODE": "opencode",
    "QWEN_CODE": "qwen-code",
    "PI_CODING_AGENT": "pi",
    "CURSOR_AGENT": "cursor",
    "CLINE_CONNECTOR_CLI_LAUNCH": "cline",
}
"""Variables of agents whose logs git-traj reads."""
CONFIGURED = {"MSWEA_CONFIGURED": "mini-swe-agent"}
"""Variables that are set if an agent is configured, even if it does not run. They only help to find a commit
in its log."""
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
