"""Whatever a data source puts into its frames becomes series or lines, and nothing breaks by it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from butler.contract.errors import IntegrationErrorCode
from modules.grafana.frames import LONGEST_LINE, MOST_LINES, series_of, text_of
from modules.grafana.records import Series
from modules.grafana.wire import Frame
from tests.adapters.faulty import FaultyProxy, Status
from tests.adapters.subjects.grafana import harness, module_on
from tests.modules.grafana.test_dashboards import asked
from tests.support.nightly import examples

VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
FIELD: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "name": st.text(max_size=5),
        "type": st.sampled_from(["time", "number", "string", "boolean", "other"]),
        "labels": st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
    }
)
FRAME: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {
        "schema": st.fixed_dictionaries({"name": st.text(max_size=3), "fields": st.lists(FIELD, max_size=4)}),
        "data": st.fixed_dictionaries({"values": st.lists(st.lists(VALUES, max_size=4), max_size=4)}),
    }
)


@given(st.lists(FRAME, max_size=3))
@settings(max_examples=examples(60), deadline=None)
def test_every_frame_can_be_shown_as_json(frames: list[dict[str, Any]]) -> None:
    read = [Frame.model_validate(one) for one in frames]
    series, _ = series_of(read)
    json.dumps([one.model_dump(mode="json") for one in series], allow_nan=False)
    assert all(len(line) <= LONGEST_LINE for line in text_of(read).splitlines())


def one_frame(fields: list[dict[str, Any]], values: list[list[Any]], **more: Any) -> list[Series]:
    series, _ = series_of([Frame.model_validate({"schema": {"fields": fields} | more, "data": {"values": values}})])
    return series


TIME = {"name": "Time", "type": "time"}


def test_a_series_has_the_name_that_grafana_would_show() -> None:
    value: dict[str, Any] = {"name": "Value", "type": "number", "labels": {"__name__": "up", "job": "node"}}
    assert one_frame([TIME, value], [[1], [1]])[0].name == "up"
    assert one_frame([TIME, value], [[1], [1]], name="Legend")[0].name == "Legend"
    assert one_frame([TIME, value | {"config": {"displayName": "Shown"}}], [[1], [1]])[0].name == "Shown"
    assert one_frame([TIME, value | {"labels": {}, "name": "cpu"}], [[1], [1]])[0].name == "cpu"


def test_a_wide_frame_is_a_series_for_each_of_its_numbers() -> None:
    numbers = [{"name": name, "type": "number"} for name in ("in", "out")]
    series = one_frame([TIME, *numbers], [[1, 2], [1, 2], [3, None]])
    assert [(one.name, [value for _, value in one.points]) for one in series] == [("in", [1, 2]), ("out", [3, None])]


def test_what_is_no_number_is_a_gap_and_what_is_no_time_is_left_out() -> None:
    number = {"name": "n", "type": "number"}
    points = one_frame([TIME, number], [[1, None, 10**30, 4], [float("inf"), 1, 1, "x"]])[0].points
    assert [value for _, value in points] == [None, None]


def test_many_lines_are_cut_and_counted() -> None:
    line = {"name": "Line", "type": "string"}
    frame = Frame.model_validate({"schema": {"fields": [line]}, "data": {"values": [["x"] * 100]}})
    assert text_of([frame]).splitlines()[-1] == f"… and {100 - MOST_LINES} more lines"


@pytest.fixture
async def proxy() -> AsyncIterator[FaultyProxy]:
    async with harness() as server, FaultyProxy(server.url) as proxy:
        yield proxy


@pytest.mark.parametrize("path", ["/api/search", "/api/dashboards/uid/web", "/api/ds/query"])
@pytest.mark.parametrize("body", [b"[]", b"{}", b"null", b'"text"', b"[1]", b'{"dashboard": 1, "results": []}'])
async def test_json_of_another_shape_is_no_answer_and_breaks_nothing(
    proxy: FaultyProxy, path: str, body: bytes
) -> None:
    module = module_on(proxy.url)
    with proxy.broken(Status(200, body), only=lambda request: request.path == path):
        result = await asked(module, dashboard="web servers")
    await module.stop()
    if result.error is None:
        assert (path, body) == ("/api/search", b"[]"), "an empty list is an answer to a search"
    else:
        assert result.error.code is IntegrationErrorCode.INVALID_OUTPUT
