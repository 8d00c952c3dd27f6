"""Records the results of git-traj for a fixed day of work, so that two versions can be compared byte by byte.

    python -m benchmarks.recorded_day record --checkout DIR --python PY --out FOLDER
    python -m benchmarks.recorded_day compare A B

``record`` simulates agents and people who make a hundred commits, then runs every command that reads, and
saves the output of each and everything that is stored. The code of DIR runs with the packages of PY, in
separate processes: no module of git-traj or its tests is imported here.

Paths are always the same, git gets fixed dates, and Python's clock and ``os.urandom`` are replaced before
git-traj starts, also in its hooks (``clock``). So two runs of one version are equal, including times, random
ids, keys and seals, and next to nothing is normalised (``UNORDERED`` in ``kept``).
"""
