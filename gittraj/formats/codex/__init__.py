"""Codex: its rollout files and its output.

- Formats: ``rollout`` (its session logs), ``exec`` (``codex exec --json``), ``document`` (the logs of its
  first program), ``notify`` (what it passes to a program).
- One record or item of these: ``records``, ``exec_items``.
- Their content: ``calls`` and ``outputs`` of tools, ``prompts`` by a human, ``usage`` of model calls.
"""
