"""What the stand-in keeps: collections of points, really compared and really filtered."""

import json
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, cast

import numpy as np

Json = dict[str, Any]
_NEARER_IS_LESS = frozenset({"Euclid", "Manhattan"})
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "lte": operator.le,
    "gt": operator.gt,
    "gte": operator.ge,
}


class WrongInputError(Exception):
    """What Qdrant answers 400 to, in its words."""


@dataclass
class Stored:
    """A point: its vector as it is compared, and its payload."""

    vector: list[float]
    payload: Json
    version: int


@dataclass
class Collection:
    """Points with one unnamed vector each."""

    size: int
    distance: str
    points: dict[int | str, Stored] = field(default_factory=dict[int | str, Stored])
    operations: int = 0

    def put(self, points: list[Json]) -> int:
        """Insert or overwrite; all or nothing. Returns the operation's number."""
        vectors = [self._vector(point["vector"]) for point in points]
        number, self.operations = self.operations, self.operations + 1
        for point, vector in zip(points, vectors, strict=True):
            self.points[point["id"]] = Stored(vector, dict(point.get("payload") or {}), number)
        return number

    def nearest(self, query: list[float], limit: int, condition: Json | None, threshold: float | None) -> list[Json]:
        """Scored points, the nearest first."""
        asked = self._vector(query)
        less = self.distance in _NEARER_IS_LESS
        found: list[Json] = []
        for point, stored in self.points.items():
            if condition is not None and not holds(condition, point, stored.payload):
                continue
            score = self._score(asked, stored.vector)
            if threshold is not None and (score > threshold if less else score < threshold):
                continue
            found.append({"id": point, "version": stored.version, "score": score, "payload": stored.payload})
        return sorted(found, key=lambda one: one["score"], reverse=not less)[:limit]

    def state(self) -> str:
        """All that is in it, as a text that can be compared."""
        points = [(str(point), stored.vector, stored.payload) for point, stored in self.points.items()]
        return json.dumps([self.size, self.distance, sorted(points, key=lambda one: one[0])], sort_keys=True)

    def _vector(self, given: Any) -> list[float]:
        if not isinstance(given, list):
            raise WrongInputError("Wrong input: Not existing vector name error")
        numbers = cast("list[float]", given)
        if len(numbers) != self.size:
            raise WrongInputError(f"Wrong input: Vector dimension error: expected dim: {self.size}, got {len(numbers)}")
        vector = np.asarray(numbers, dtype=np.float32)
        length = float(np.linalg.norm(vector))
        if self.distance == "Cosine" and length > 0:
            vector = vector / length
        return [float(one) for one in vector]

    def _score(self, left: list[float], right: list[float]) -> float:
        one, other = np.asarray(left), np.asarray(right)
        match self.distance:
            case "Euclid":
                return float(np.linalg.norm(one - other))
            case "Manhattan":
                return float(np.abs(one - other).sum())
            case _:
                return float(one @ other)


def holds(condition: Json, point: int | str, payload: Json) -> bool:
    """Whether a filter, or one condition of it, holds of a point."""
    if "key" in condition:
        return any(_fits(condition, value) for value in _values(payload, condition["key"].split(".")))
    if "has_id" in condition:
        return point in condition["has_id"]
    must, must_not, should = (_listed(condition.get(name)) for name in ("must", "must_not", "should"))
    return (
        all(holds(one, point, payload) for one in must)
        and not any(holds(one, point, payload) for one in must_not)
        and (not should or any(holds(one, point, payload) for one in should))
    )


def _listed(given: Any) -> list[Json]:
    return [] if given is None else cast("list[Json]", given) if isinstance(given, list) else [given]


def _values(payload: Any, path: list[str]) -> list[Any]:
    """What stands at a path; of a list, each entry."""
    if isinstance(payload, list):
        return [found for one in cast("list[Any]", payload) for found in _values(one, path)]
    if not path:
        return [payload]
    if not isinstance(payload, dict):
        return []
    name = path[0].removesuffix("[]")
    return _values(cast("Json", payload)[name], path[1:]) if name in payload else []


def _fits(condition: Json, value: Any) -> bool:
    match, between = condition.get("match"), condition.get("range")
    if match is not None:
        wanted = match.get("any", [match.get("value")])
        # In Qdrant as in JSON, true is not 1.
        return any(type(one) is type(value) and one == value for one in wanted)
    if between is not None:
        return _within(between, value)
    return False


def _within(between: Json, value: Any) -> bool:
    bounds = {name: bound for name, bound in between.items() if bound is not None}
    if all(isinstance(bound, str) for bound in bounds.values()):
        if not isinstance(value, str):
            return False
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return False
        return all(_ORDERS[name](moment, datetime.fromisoformat(bound)) for name, bound in bounds.items())
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return all(_ORDERS[name](value, bound) for name, bound in bounds.items())
