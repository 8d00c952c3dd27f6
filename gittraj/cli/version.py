"""``git traj version``. docs/json.md has its ``--json``."""

from __future__ import annotations

import json
import platform
import subprocess

import click

from gittraj import __version__


@click.command("version")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(as_json: bool) -> None:
    """Show the version of git-traj; with --json, also those of its rules, Python, git and the platform."""
    if not as_json:
        click.echo(f"git-traj {__version__}")
        return
    from gittraj.model.ruleset import RULESET

    try:
        output = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False).stdout
    except OSError:
        output = ""
    versions = {"gitTraj": __version__, "ruleset": RULESET, "python": platform.python_version()}
    git = output.removeprefix("git version ").strip() or None
    click.echo(json.dumps({"version": 1, **versions, "git": git, "platform": platform.platform()}))
