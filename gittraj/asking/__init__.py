"""Asks an agent, once in a session, for the retrospective that it did not write: ``traj.retrospective=ask``.

``__main__`` is the process that an agent's own hook (``hooks/agent-hook``, which asks only where the setting
says so) starts when a turn is over, and waits for; ``due`` decides. It must not write anything but the request where the model reads it, nor fail, nor take long.
"""
