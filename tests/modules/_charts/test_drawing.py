"""A chart shows what was measured and nothing else, on a phone's screen, at the person's times."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# matplotlib types its artists in part only.

import asyncio
import io
import math
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from PIL import Image

from butler.contract.speech import speak
from config.language import OwnerLanguage
from modules._charts.chart import Chart, Line, lines_of
from modules._charts.drawing import chart_file, draw, figure_of
from tests.support.context import MemoryBlobs

START = datetime(2026, 11, 28, 21, 0, tzinfo=UTC)
LONDON = ZoneInfo("Europe/London")
BLUE = (0x0B, 0x62, 0xA4)
PAPER = (0xFB, 0xFA, 0xF7)


def line(
    name: str, value: Callable[[int], float | None], *, points: int = 241, step_s: float = 15, start: datetime = START
) -> Line:
    return Line(name, [(start + timedelta(seconds=step_s * n), value(n)) for n in range(points)])


def chart(*lines: Line, title: str = "CPU use", unit: str = "ratio", zone: ZoneInfo = LONDON, **more: Any) -> Chart:
    return Chart(title, lines, unit, zone, **more)


def drawn(of: Chart) -> Any:
    """The figure, laid out; and its only axes."""
    figure = figure_of(of)
    figure.canvas.draw()
    (axes,) = figure.axes
    return figure, axes


def texts(labels: Sequence[Any]) -> list[str]:
    return [label.get_text() for label in labels if label.get_text()]


def ticks(axis: Any) -> list[tuple[float, str]]:
    """What is to be seen of an axis: places and labels."""
    low, high = axis.get_view_interval()
    found = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
    return [(float(place), label.get_text()) for place, label in found if low <= place <= high]


def legend(of: Chart) -> list[str]:
    figure, _ = drawn(of)
    return texts(figure.legends[0].get_texts())


def pixels(png: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def near(picture: Any, colour: tuple[int, int, int]) -> Any:
    """Where a picture has about this colour."""
    return np.abs(picture - np.array(colour)).sum(axis=2) < 60


async def test_a_chart_is_a_picture_for_a_phone_with_paper_of_its_own() -> None:
    blobs = MemoryBlobs()
    file = await chart_file(chart(line("nuc", lambda n: 0.5 + 0.4 * math.sin(n / 20))), blobs)
    png = blobs.data[file.sha256]
    assert (file.name, file.media_type, file.size) == ("chart.png", "image/png", len(png))
    with Image.open(io.BytesIO(png)) as image:
        assert image.size == (1000, 560)
        assert image.convert("RGBA").getpixel((0, 0)) == (*PAPER, 255)
        assert "Software" not in image.info
    assert near(pixels(png), BLUE).sum() > 1_000


async def test_a_gap_stays_a_gap() -> None:
    whole = near(pixels(await draw(chart(line("nuc", lambda _: 0.5)))), BLUE)[:420]
    gap = near(pixels(await draw(chart(line("nuc", lambda n: None if 80 < n < 160 else 0.5)))), BLUE)[:420]
    columns = np.flatnonzero(whole.any(axis=0))
    width = columns[-1] - columns[0]
    assert whole.any(axis=0)[columns[0] : columns[-1]].all()
    # The middle third, less the ends of the line on both sides.
    middle = slice(columns[0] + int(width * 0.36), columns[0] + int(width * 0.64))
    assert not gap.any(axis=0)[middle].any()
    assert gap.any(axis=0)[columns[0] + 5]
    assert gap.any(axis=0)[columns[-1] - 5]


async def test_a_single_point_is_seen() -> None:
    after = [START + timedelta(minutes=minute) for minute in range(3)]
    for points in ([(START, 0.5)], [(after[0], None), (after[1], 0.5), (after[2], None)]):
        assert near(pixels(await draw(chart(Line("nuc", points)))), BLUE)[:420].sum() > 10


def test_eight_series_have_names_the_highest_first_and_the_others_are_counted() -> None:
    lines = [line(f"host-{number:02d}", lambda _, n=number: n / 100, points=5) for number in range(50)]
    names = legend(chart(*lines))
    assert [name.split()[0] for name in names[:8]] == [f"host-{number}" for number in range(49, 41, -1)]
    assert names[0] == "host-49  49 %"
    assert names[8:] == ["+42 more"]
    assert len(legend(chart(*lines[:8]))) == 8


def test_all_lines_are_drawn_also_those_without_a_name() -> None:
    lines = [line(f"host-{number:02d}", lambda _, n=number: n / 100, points=5) for number in range(50)]
    _, axes = drawn(chart(*lines))
    assert sum(len(one.get_xdata()) == 5 for one in axes.get_lines()) == 50


def test_the_value_axis_is_in_one_unit() -> None:
    _, axes = drawn(chart(line("a", lambda n: 1024.0**3 * (1 + n / 240)), unit="bytes"))
    labels = texts(axes.get_yticklabels())
    assert len(labels) >= 3
    assert all(label.endswith(" GiB") for label in labels)
    assert len(set(labels)) == len(labels)


@pytest.mark.parametrize("size", [1e-9, 1.0, 7e4, 3e14])
@pytest.mark.parametrize("swing", [1.0, 1e-4])
def test_neighbouring_ticks_are_told_apart_however_large_the_values(size: float, swing: float) -> None:
    for unit in ("", "bytes"):
        _, axes = drawn(chart(line("a", lambda n: size * (1 + swing * math.sin(n / 9)), points=50), unit=unit))
        labels = texts(axes.get_yticklabels())
        assert len(set(labels)) == len(labels) >= 2


def test_a_share_is_shown_of_the_whole() -> None:
    _, axes = drawn(chart(line("a", lambda _: 0.12)))
    assert [label for _, label in ticks(axes.yaxis)] == ["0 %", "25 %", "50 %", "75 %", "100 %"]


@pytest.mark.parametrize(
    ("zone", "first"), [("Europe/London", "21:00"), ("Asia/Kolkata", "02:30"), ("America/New_York", "16:00")]
)
def test_times_are_the_persons_own(zone: str, first: str) -> None:
    _, axes = drawn(chart(line("nuc", lambda _: 0.5), zone=ZoneInfo(zone)))
    assert ticks(axes.xaxis)[0][1] == first
    assert axes.get_xlabel().endswith(zone)


def test_times_are_right_in_the_night_in_which_summer_time_ends() -> None:
    night = line("nuc", lambda _: 0.5, points=13, step_s=1_800, start=datetime(2026, 10, 24, 22, 0, tzinfo=UTC))
    _, axes = drawn(chart(night))
    found = ticks(axes.xaxis)
    assert len(found) >= 3
    for place, label in found:
        assert label == f"{datetime.fromtimestamp(round(place * 86_400), LONDON):%H:%M}"
    assert axes.get_xlabel() == "2026-10-24 – 2026-10-25, Europe/London"


@pytest.mark.parametrize(
    ("span", "label"),
    [
        (timedelta(minutes=2), "21:00:00"),
        (timedelta(hours=1), "21:00"),
        (timedelta(days=3), "11-29 00:00"),
        (timedelta(days=40), "12-01"),
        (timedelta(days=800), "2027-01-01"),
    ],
)
def test_times_are_as_fine_as_the_span_is_short(span: timedelta, label: str) -> None:
    _, axes = drawn(chart(line("nuc", lambda _: 0.5, points=11, step_s=span.total_seconds() / 10)))
    assert label in [text for _, text in ticks(axes.xaxis)]


def test_one_point_stands_in_the_middle_of_ten_minutes() -> None:
    _, axes = drawn(chart(Line("nuc", [(START, 0.5)])))
    assert ticks(axes.xaxis)[0][1] == "20:55"
    assert ticks(axes.xaxis)[-1][1] == "21:05"


def test_a_span_is_shown_whole_though_little_of_it_was_measured() -> None:
    since, before = START - timedelta(hours=1), START + timedelta(hours=2)
    _, axes = drawn(chart(line("nuc", lambda _: 0.5), since=since, before=before))
    left, right = axes.get_xlim()
    assert (left * 86_400, right * 86_400) == pytest.approx((since.timestamp(), before.timestamp()))


def test_a_limit_is_drawn_where_the_values_come_near_it() -> None:
    near_it, far = line("nuc", lambda _: 0.8), line("nuc", lambda _: 0.1)
    assert len(drawn(chart(near_it, high=0.9))[1].get_lines()) == 2
    assert len(drawn(chart(far, high=0.9))[1].get_lines()) == 1


def test_nothing_measured_is_said_in_the_persons_language() -> None:
    for lines in ((), (line("nuc", lambda _: None),)):
        _, axes = drawn(chart(*lines, since=START, before=START + timedelta(hours=1)))
        assert texts(axes.texts) == ["Nothing was measured in this time"]
        assert axes.get_lines() == [] or not any(len(one.get_xdata()) for one in axes.get_lines())
    speak(OwnerLanguage.GERMAN)
    _, axes = drawn(chart(since=START, before=START + timedelta(hours=1)))
    assert texts(axes.texts) == ["In dieser Zeit wurde nichts gemessen"]


def test_long_and_odd_names_do_no_harm() -> None:
    odd = "$x^{2$ \\frac " + "long " * 40 + "end"
    figure, axes = drawn(chart(line(odd, lambda _: 0.5), line("日本\x00\n\u202e", lambda _: 0.4), title=odd))
    (first, second) = texts(figure.legends[0].get_texts())
    assert first.startswith("$x^{2$ \\frac")
    assert first.endswith("end  50 %")
    assert second == "□□□ □  40 %"
    assert len(axes.get_title(loc="left")) <= 60
    width = figure.bbox.width
    assert all(text.get_window_extent().x1 <= width for text in figure.legends[0].get_texts())


async def test_charts_may_be_drawn_at_the_same_time() -> None:
    charts = [chart(line("nuc", lambda n, k=k: 0.1 * k + n / 1000)) for k in range(4)]
    alone = [await draw(one) for one in charts]
    assert await asyncio.gather(*map(draw, charts)) == alone
    assert len(set(alone)) == 4


def test_lines_are_read_from_what_adapters_give() -> None:
    (found,) = lines_of([{"name": "nuc", "points": [["2026-11-28T21:00:00Z", 0.5], ["2026-11-28T21:00:15Z", None]]}])
    assert found.points == [(START, 0.5), (START + timedelta(seconds=15), None)]
    assert found.values == [0.5]


def test_matplotlib_is_loaded_with_the_first_chart_only() -> None:
    code = "import sys, modules.prometheus.module, modules._charts.drawing as d; print('matplotlib' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert found.stdout.strip() == "False"
