"""One PostgreSQL for the session, with a database for each test that asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tests.integration.gather.cluster import a_cluster

_NUMBERS = count()


@pytest.fixture(scope="session")
def cluster() -> Iterator[str]:
    with a_cluster() as url:
        yield url


@pytest.fixture
def postgres(cluster: str) -> str:
    import psycopg

    name = f"team{next(_NUMBERS)}"
    with psycopg.connect(cluster, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return cluster.replace("///postgres?", f"///{name}?")
