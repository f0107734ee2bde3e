"""Maps Prometheus's wire format to our records: numbers for texts, null for non-finite values, and explicit gaps."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from butler.contract.speech import say
from modules._remote.http import read_as, unusable
from modules.prometheus.records import Point, Series

WHAT = "answer of Prometheus to a query"
_LATE = 1.5
"""The distance between two points, in steps, above which a point between them is missing."""
_FIRST = ("__name__", "instance", "job")
_ALONE = ("instance", "job", "__name__")
"""The labels that may name a series without others beside it, the first choice first."""
Sample = tuple[float, str]


class WireData(BaseModel):
    """`data` of a query's answer."""

    kind: Annotated[Literal["matrix", "vector", "scalar", "string"], Field(alias="resultType")]
    result: list[Any]


class WireAnswer(BaseModel):
    """A query's answer."""

    status: Literal["success"]
    data: WireData
    warnings: list[str] = []
    infos: list[str] = []


class WireError(BaseModel):
    """A refusal."""

    kind: Annotated[str, Field(alias="errorType")]
    error: str = ""


class _WireSeries(BaseModel):
    metric: dict[str, str]
    value: Sample | None = None
    values: list[Sample] = []
    histogram: Any = None
    histograms: list[Any] = []


_series = TypeAdapter(list[_WireSeries])
_sample = TypeAdapter(Sample)


def error_of(json: Any) -> WireError | None:
    """Parse a refusal; None if it is not Prometheus's own."""
    try:
        return WireError.model_validate(json)
    except ValidationError:
        return None


def answer_of(json: Any) -> WireAnswer:
    """Parse an answer. Raise `IntegrationFault` if it is malformed."""
    return read_as(WireAnswer, json, WHAT)


def series_of(data: WireData, step_s: float | None, most: int) -> tuple[list[Series], list[str]]:
    """Return the series of an answer up to the limits, and remarks on omissions. Raise `IntegrationFault`."""
    if data.kind in {"scalar", "string"}:
        try:
            return [Series(name="value", labels={}, points=[_point(_sample.validate_python(data.result))])], []
        except ValidationError:
            raise unusable(WHAT) from None
    try:
        found = _series.validate_python(data.result)
    except ValidationError:
        raise unusable(WHAT) from None
    remarks: list[str] = []
    if without := sum(1 for one in found if one.histogram is not None or one.histograms):
        remarks.append(say("{count} of the series are histograms and left out; ask for a quantile", count=without))
        found = [one for one in found if one.value is not None or one.values]
    if len(found) > most:
        remarks.append(say("{count} of {all} series are given", count=most, all=len(found)))
    taken = found[:most]
    names = names_of([one.metric for one in taken])
    return [_of(one, name, step_s) for one, name in zip(taken, names, strict=True)], remarks


def _of(wire: _WireSeries, name: str, step_s: float | None) -> Series:
    points = [_point(sample) for sample in (wire.values or ([wire.value] if wire.value else []))]
    return Series(name=name, labels=wire.metric, points=with_gaps(points, step_s) if step_s else points)


def _point(sample: Sample) -> Point:
    try:
        value = float(sample[1])
        return datetime.fromtimestamp(sample[0], UTC), value if math.isfinite(value) else None
    except (ValueError, OverflowError, OSError):
        raise unusable(WHAT) from None


def with_gaps(points: Sequence[Point], step_s: float) -> list[Point]:
    """Return the points of a range, with a null for each step between them that has none."""
    filled: list[Point] = []
    for at, value in points:
        while filled and (at - filled[-1][0]).total_seconds() > _LATE * step_s:
            filled.append((datetime.fromtimestamp(filled[-1][0].timestamp() + step_s, UTC), None))
        filled.append((at, value))
    return filled


def names_of(labels: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a short name per series: the values of the labels in which they differ."""
    every = sorted({label for one in labels for label in one}, key=lambda label: (_rank(label), label))
    differing = [label for label in every if len({one.get(label, "") for one in labels}) > 1]
    if not differing:
        return [next((one[label] for label in _ALONE if one.get(label)), "value") for one in labels]
    return [" ".join(one.get(label) or "–" for label in differing) for one in labels]


def _rank(label: str) -> int:
    return _FIRST.index(label) if label in _FIRST else len(_FIRST)
