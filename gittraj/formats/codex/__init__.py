"""Codex: its rollout files and its output.

- Formats: ``rollout`` (its session logs), ``exec`` (``codex exec --json``), ``document`` (the logs of its
  first program), ``notify`` (what it hands to a program).
- One record or item of these: ``records``, ``exec_items``.
- What they say: ``calls`` and ``outputs`` of tools, ``prompts`` what a human typed, ``usage`` what a call
  cost.
"""
