"""``python -m gittraj`` is ``git-traj``."""

from gittraj.cli import main

main()
