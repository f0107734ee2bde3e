"""What lies in the accounts of the demo's people when it begins: the tables of `seed.toml`."""

import tomllib
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import Any

from butler_demo.people import EVERYBODY

Row = Mapping[str, Any]
PEOPLE = {person.name: person for person in EVERYBODY}


@cache
def rows(table: str) -> tuple[Row, ...]:
    """Return the rows of a table."""
    return tuple(tomllib.loads((files("butler_demo") / "seed.toml").read_text(encoding="utf-8"))[table])


def age(row: Row) -> timedelta:
    """Return how long before the demo's beginning something was written."""
    return timedelta(**row["ago"])
