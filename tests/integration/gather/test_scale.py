"""Gathering many repositories with few records each: 10, and 300 in the nightly run."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from benchmarks.u_gather import change, make_team
from tests.integration import command
from tests.integration.gather.team import Team
from tests.sizes import NIGHTLY, size

duckdb = pytest.importorskip("duckdb")


def test_statistics_of_many_are_the_sums_of_each(tmp_path: Path) -> None:
    repositories, records = size(10, 300, "GIT_TRAJ_REPOSITORIES"), size(6, 500)
    team = Team(tmp_path, "team.duckdb")
    make_team(team.root / "clones", repositories, records)
    found = team.gather("--jobs", "2") if NIGHTLY else team.gather()
    assert found["gathered"] == repositories
    total = team.ask("stats")["total"]
    roots = sorted((team.root / "clones").glob("*/*"))
    each = [
        json.loads(command.traj(root, "stats", "--json").stdout)["total"]
        for root in roots[:: max(repositories // 5, 1)]
    ]
    rows = {row["name"]: row for row in team.ask("stats", "--by", "repository")["rows"]}
    assert len(rows) == repositories
    for root, own in zip(roots[:: max(repositories // 5, 1)], each, strict=True):
        row = rows["/".join(root.parts[-2:])]
        for key in ("commits", "recorded", "trajectories", "usage"):
            assert row[key] == own[key]
        assert row["costUsd"] == pytest.approx(own["costUsd"])
        assert row["bytes"]["records"] == own["bytes"]["records"]
    assert total["trajectories"] == sum(row["trajectories"] for row in rows.values())
    assert len(team.ask("search", "--in", "decision", "cormorants", "-n", "50")["results"]) == 10
    assert team.gather()["unchanged"] == repositories


_SUMS = ("commits", "recorded", "trajectories", "sessions", "withoutCommit")


@pytest.mark.nightly
def test_random_kills_and_two_gathers_at_once_leave_the_sums_right(tmp_path: Path) -> None:
    repositories, records, kills = size(4, 100), size(3, 50), size(2, 50, "GIT_TRAJ_CRASHES")
    team, rng = Team(tmp_path, "team.duckdb"), random.Random(7)
    make_team(team.root / "clones", repositories, records)
    roots = sorted((team.root / "clones").glob("*/*"))
    start = [sys.executable, "-m", "gittraj", "gather", "clones", "--jobs", "2", "--into"]
    begin = time.monotonic()
    subprocess.run([*start, "whole.duckdb"], cwd=team.root, check=True, stdout=subprocess.DEVNULL)
    took = time.monotonic() - begin
    for number in range(kills):
        with subprocess.Popen([*start, team.url], cwd=team.root, stderr=subprocess.DEVNULL) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0, took))
            process.kill()
        change(rng.choice(roots), f"traj_new{number}")
    both = [subprocess.Popen([*start, team.url], cwd=team.root, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    total = team.ask("stats")["total"]
    each = [json.loads(command.traj(root, "stats", "--json").stdout)["total"] for root in roots]
    assert {key: total[key] for key in _SUMS} == {key: sum(own[key] for own in each) for key in _SUMS}
    assert total["usage"] == {key: sum(own["usage"][key] or 0 for own in each) for key in total["usage"]}
    assert total["costUsd"] == pytest.approx(sum(own["costUsd"] or 0 for own in each))
    doubled = "SELECT project_id, trajectory_id, part_id FROM parts GROUP BY ALL HAVING count(*) > 1"
    with closing(duckdb.connect(str(team.root / team.url), read_only=True)) as connection:
        assert connection.execute(doubled).fetchall() == []
    assert team.differences() == []


@pytest.mark.nightly
def test_spark_reads_the_same_sums(tmp_path: Path) -> None:
    spark_sql = pytest.importorskip("pyspark.sql")
    team = Team(tmp_path, "parquet:lake")
    make_team(team.root / "clones", 4, 20)
    team.gather()
    spark = spark_sql.SparkSession.builder.master("local[1]").getOrCreate()
    try:
        found = spark.read.parquet(str(team.root / "lake" / "parts"))
        rows = found.selectExpr("sum(input_tokens)", "count(*)", "count(distinct project_id)").collect()
    finally:
        spark.stop()
    expected = duckdb.sql(
        "SELECT sum(input_tokens), count(*), count(DISTINCT project_id) FROM"
        f" read_parquet('{team.root}/lake/parts/*/*/data.parquet', hive_partitioning = true)"
    ).fetchall()
    assert [tuple(row) for row in rows] == [tuple(map(int, row)) for row in expected]


@pytest.mark.nightly
def test_an_object_store_is_written_and_queried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs")
    server = pytest.importorskip("moto.server").ThreadedMotoServer(port=0)
    server.start()
    try:
        host, port = server.get_host_and_port()
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        }.items():
            monkeypatch.setenv(name, value)
        import s3fs

        s3fs.S3FileSystem().mkdir("team")
        team = Team(tmp_path, "parquet:s3://team/lake")
        make_team(team.root / "clones", 2, 10)
        assert team.gather()["gathered"] == 2
        assert team.differences() == []
        assert team.ask("stats")["total"]["recorded"] == 20
        team.traj("gather", "--forget", str(next((team.root / "clones").glob("*/*"))), "--into", team.url)
        assert team.ask("stats")["total"]["recorded"] == 10
    finally:
        server.stop()
