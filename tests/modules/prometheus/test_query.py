"""The adapter's one operation on a real Prometheus: values come as they are, and so does what is missing."""

from datetime import datetime, timedelta

import pytest

from modules.prometheus.config import NODE_EXPORTER, Signal
from modules.prometheus.integration_prometheus import step_of
from modules.prometheus.normalise import names_of, with_gaps
from modules.prometheus.records import MOST_POINTS, MOST_SERIES
from tests.modules.prometheus.harness import Harness
from tests.modules.prometheus.history import GAP, MANY, History

pytestmark = pytest.mark.services
CPU = "instance:node_cpu_utilisation:rate5m"


def hour(history: History) -> dict[str, str]:
    return {"since": (history.now - timedelta(hours=1)).isoformat(), "before": history.now.isoformat()}


async def test_a_span_of_time_gives_points_at_each_step(harness: Harness, history: History) -> None:
    data = await harness.data(query=CPU, **hour(history))
    (series,) = data["series"]
    assert (data["kind"], data["step_s"], data["complete"], data["warnings"]) == ("range", 15.0, True, [])
    assert (series["name"], series["labels"]) == ("nuc", {"__name__": CPU, "instance": "nuc", "job": "node"})
    times = [datetime.fromisoformat(at) for at, _ in series["points"]]
    assert (times[0], times[-1], len(times)) == (history.now - timedelta(hours=1), history.now, 241)
    assert all(0.05 < value < 1 for _, value in series["points"])


async def test_one_moment_gives_one_value_of_each_series(harness: Harness, history: History) -> None:
    data = await harness.data(query='many{instance=~"host-0[1-3]"}', before=history.now.isoformat())
    assert (data["kind"], data["since"], data["step_s"]) == ("instant", None, None)
    assert {series["name"]: [value for _, value in series["points"]] for series in data["series"]} == {
        "host-01": [1.0],
        "host-02": [2.0],
        "host-03": [3.0],
    }


async def test_a_gap_stays_a_gap(harness: Harness, history: History) -> None:
    data = await harness.data(query="boiler_celsius", step_s=60, **hour(history))
    (series,) = data["series"]
    missing = [datetime.fromisoformat(at) for at, value in series["points"] if value is None]
    assert len(series["points"]) == 61
    begins, ends = (history.now - before for before in GAP)
    # Prometheus itself goes on with the last value for five minutes.
    assert begins + timedelta(minutes=4) < missing[0] < missing[-1] <= ends
    assert len(missing) in {25, 26}


async def test_what_is_no_finite_number_is_null(harness: Harness, history: History) -> None:
    minute = {"since": (history.now - timedelta(minutes=1)).isoformat(), "before": history.now.isoformat()}
    data = await harness.data(query="odd", step_s=15, **minute)
    values = [value for _, value in data["series"][0]["points"]]
    assert len(values) == 5
    assert set(values) == {None, 1.5}


async def test_more_series_than_may_be_given_are_told_of(harness: Harness, history: History) -> None:
    data = await harness.data(query="many", before=history.now.isoformat())
    assert (len(data["series"]), data["complete"]) == (MOST_SERIES, False)
    assert data["warnings"] == [f"{MOST_SERIES} of {MANY} series are given"]
    data = await harness.data(query="many", before=history.now.isoformat(), max_series=2)
    assert (len(data["series"]), data["complete"]) == (2, False)


async def test_a_step_that_is_too_fine_is_widened_and_told_of(harness: Harness, history: History) -> None:
    data = await harness.data(query=CPU, step_s=0.1, **hour(history))
    assert data["step_s"] == pytest.approx(3.6)
    assert len(data["series"][0]["points"]) <= MOST_POINTS + 1
    assert data["warnings"] == ["a point every 3.6 s is the finest for so long a time"]


async def test_nothing_found_is_an_answer(harness: Harness, history: History) -> None:
    data = await harness.data(query="nothing_of_the_kind", **hour(history))
    assert (data["series"], data["complete"]) == ([], True)


async def test_a_number_is_a_series_of_its_own(harness: Harness, history: History) -> None:
    data = await harness.data(query="40 + 2", before=history.now.isoformat())
    assert [(series["name"], series["points"][0][1]) for series in data["series"]] == [("value", 42.0)]


async def test_values_of_a_while_may_be_asked_for_at_one_moment(harness: Harness, history: History) -> None:
    data = await harness.data(query="boiler_celsius[1m]", before=history.now.isoformat())
    assert [value for _, value in data["series"][0]["points"]] == [60.0] * 4


@pytest.mark.parametrize("signal", NODE_EXPORTER, ids=lambda signal: signal.name)
async def test_each_signal_of_node_exporter_gives_its_value(signal: Signal, harness: Harness, history: History) -> None:
    expected = {
        "cpu": 0.75,
        "memory": 0.75,
        "disk": 0.83,
        "disk_io": 0.5,
        "load": 3.0,
        "network": 1_000_000,
        "down": 1.0,
        "errors": 0.2,
    }
    data = await harness.data(query=signal.query, before=history.now.isoformat())
    (series,) = data["series"]
    assert series["points"][0][1] == pytest.approx(expected[signal.name], rel=0.01)


@pytest.mark.parametrize(
    ("span", "asked", "step"),
    [
        (timedelta(minutes=5), None, 15),
        (timedelta(hours=1), None, 15),
        (timedelta(hours=6), None, 60),
        (timedelta(days=1), None, 300),
        (timedelta(days=30), None, 7_200),
        (timedelta(days=5 * 365), None, 5 * 86_400),
        (timedelta(hours=1), 60, 60),
        (timedelta(hours=1), 0.5, 3.6),
    ],
)
def test_the_step_gives_some_four_hundred_points(span: timedelta, asked: float | None, step: float) -> None:
    assert step_of(span.total_seconds(), asked) == step


NAMES: list[tuple[list[dict[str, str]], list[str]]] = [
    ([{"instance": "nuc", "job": "node"}], ["nuc"]),
    ([{"__name__": "boiler_celsius"}], ["boiler_celsius"]),
    ([{"place": "cellar"}], ["value"]),
    ([{}], ["value"]),
    ([{"instance": "nuc", "job": "node"}, {"instance": "nas", "job": "node"}], ["nuc", "nas"]),
    ([{"instance": "nuc", "mountpoint": "/"}, {"instance": "nuc", "mountpoint": "/srv"}], ["/", "/srv"]),
    (
        [{"mountpoint": "/", "instance": "nuc"}, {"instance": "nas", "mountpoint": "/srv"}, {"instance": "nas"}],
        ["nuc /", "nas /srv", "nas –"],
    ),
    ([{"__name__": "a", "job": "x"}, {"__name__": "b", "job": "x"}], ["a", "b"]),
    ([], []),
]


@pytest.mark.parametrize(("labels", "names"), NAMES)
def test_a_series_is_called_by_what_tells_it_from_the_others(labels: list[dict[str, str]], names: list[str]) -> None:
    assert names_of(labels) == names


def test_a_null_stands_for_each_step_that_is_missing(history: History) -> None:
    points = [(history.now + timedelta(seconds=s), 1.0) for s in (0, 15, 60, 75)]
    filled = with_gaps(points, 15)
    assert [((at - history.now).total_seconds(), value) for at, value in filled] == [
        (0, 1.0),
        (15, 1.0),
        (30, None),
        (45, None),
        (60, 1.0),
        (75, 1.0),
    ]
