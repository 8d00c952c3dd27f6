"""Asks an agent, once in a session, for the retrospective that it did not write: ``traj.retrospective=ask``.

``__main__`` is the process that an agent's own hook starts at the end of a turn, and waits for
(``hooks/agent-hook`` starts it only with this setting); ``due`` decides whether to ask. The process must
not print anything but the request to the model, nor fail, nor take long.
"""
