"""Starts the Action under ``python -I``, which imports modules neither from the workspace nor from paths in
the environment: the folders of our modules are in ``GIT_TRAJ_PATH``, which ``install.sh`` sets."""

from __future__ import annotations

import os
import sys

sys.path[:0] = os.environ["GIT_TRAJ_PATH"].split(os.pathsep)

from github_action.__main__ import main  # noqa: E402 - only now is it on the path

if __name__ == "__main__":
    sys.exit(main(os.environ))
