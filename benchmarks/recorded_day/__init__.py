"""Records what git-traj does with a fixed day of work, so that two versions can be compared byte by byte.

    python -m benchmarks.recorded_day record --checkout DIR --python PY --out FOLDER
    python -m benchmarks.recorded_day compare A B

``record`` plays agents and people who make a hundred commits, then asks every command that reads, and keeps
what each said and all that is stored. The code of DIR runs with the packages of PY, in processes of its own:
nothing of git-traj or of its tests is imported here.

Paths are always the same, git is told its dates, and Python's clock and ``os.urandom`` are replaced before
git-traj starts, also in its hooks (``clock``). So two runs of one version are equal, with recording times,
random ids, keys and seals, and next to nothing is normalised (``UNORDERED`` in ``kept``).
"""
