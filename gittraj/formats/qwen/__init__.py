"""Qwen Code, which grew out of Gemini CLI: its messages and tools are alike, its log is not."""
