"""Asks an agent, once in a session, for the retrospective that it did not write: ``traj.retrospective=ask``.

``__main__`` is the process that an agent's own hook starts when a turn is over, and waits for
(``hooks/agent-hook`` starts it only where the setting says so); ``due`` decides. It must not write anything
but the request where the model reads it, nor fail, nor take long.
"""
