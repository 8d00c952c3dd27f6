"""The process that a hook starts: ``python -m gittraj.worker``. Installed hooks call it by this name."""
