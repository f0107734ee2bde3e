"""Draws a chart as a PNG of 1000 x 560 pixels for a phone's screen: large letters, on a background of its own.

matplotlib is imported with the first chart, and draws in a thread, one chart at a time: it is not thread-safe.
"""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# matplotlib types its keyword arguments only partly.

import asyncio
import importlib.util
import io
import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from butler.contract.ports import BlobStore
from butler.contract.speech import say
from butler.contract.tools import Attachment
from modules._charts.chart import Chart, Line
from modules._charts.units import Scale, humanised, scale_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MISSING = "there is no chart, since matplotlib is not installed; install butler[remote]"
WIDTH, HEIGHT, DPI = 10.0, 5.6, 100
MOST_NAMED = 8
_MOST_DECIMALS = 18
_LONGEST_NAME, _LONGEST_OF_TWO, _LONGEST_TITLE = 60, 24, 60
_PAPER, _INK, _FAINT, _GRID, _ALARM = "#fbfaf7", "#22252b", "#9aa0a8", "#dedcd6", "#c0392b"
_COLOURS = ("#0b62a4", "#d1570b", "#1b8a5a", "#8a3fa0", "#b58900", "#0f8b99", "#a83254", "#5b5f66")
_DASHES = ("-", "--")
_drawing = threading.Lock()


def available() -> bool:
    """Return whether charts can be drawn here."""
    return importlib.util.find_spec("matplotlib") is not None


async def draw(chart: Chart) -> bytes:
    """Return the chart as a PNG."""
    return await asyncio.to_thread(_draw, chart)


async def chart_file(chart: Chart, blobs: BlobStore) -> Attachment:
    """Draw the chart, and store the picture as a blob."""
    png = await draw(chart)
    return Attachment(name="chart.png", size=len(png), sha256=await blobs.put(png), media_type="image/png")


def _draw(chart: Chart) -> bytes:
    with _drawing:
        picture = io.BytesIO()
        figure_of(chart).savefig(picture, format="png", metadata={"Software": None})
        return picture.getvalue()


def figure_of(chart: Chart) -> "Figure":
    """Return the chart as a matplotlib figure; one thread at a time."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - heavy, only with a chart
    from matplotlib.figure import Figure  # noqa: PLC0415 - heavy, only with a chart
    from matplotlib.layout_engine import ConstrainedLayoutEngine  # noqa: PLC0415 - heavy, only with a chart

    layout = ConstrainedLayoutEngine(w_pad=0.16, h_pad=0.1)
    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor=_PAPER, layout=layout)
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(facecolor=_PAPER)
    title = _drawable(chart.title, _LONGEST_TITLE)
    axes.set_title(title, loc="left", pad=14, fontsize=21, fontweight="bold", color=_INK, parse_math=False)
    _frame(axes)
    lines = sorted(chart.lines, key=lambda line: max(line.values, default=float("-inf")), reverse=True)
    if any(line.values for line in lines):
        _fill(figure, axes, chart, lines)
    else:
        axes.set_yticks([])
        nothing = say("Nothing was measured in this time")
        axes.text(0.5, 0.5, nothing, transform=axes.transAxes, ha="center", va="center", fontsize=19, color=_INK)
    _time_axis(axes, chart)
    return figure


def _frame(axes: "Axes") -> None:
    axes.grid(visible=True, color=_GRID, linewidth=1)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=15, colors=_INK, length=0, pad=8)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_FAINT)


def _fill(figure: "Figure", axes: "Axes", chart: Chart, lines: Sequence[Line]) -> None:
    """Draw the lines over a value axis in one unit; the highest ones have colours and names."""
    every = [value for line in lines for value in line.values]
    scale = scale_of(max(every, key=abs), chart.unit)
    for line in reversed(lines[MOST_NAMED:]):
        _plot(axes, line, scale, colour=_FAINT, width=1.2, label="")
    for number, line in enumerate(lines[:MOST_NAMED]):
        last = humanised(line.values[-1], chart.unit) if line.values else "–"
        label = f"{_drawable(line.name, _LONGEST_NAME if len(lines) == 1 else _LONGEST_OF_TWO)}  {last}"
        _plot(axes, line, scale, colour=_COLOURS[number], width=2.6, label=label, dash=_DASHES[number % 2])
    _value_axis(axes, chart, scale, min(every), max(every))
    if len(lines) > MOST_NAMED:
        more = say("+{count} more", count=len(lines) - MOST_NAMED)
        axes.plot([], [], color=_FAINT, linewidth=1.2, label=more)
    legend = figure.legend(
        loc="outside lower left", ncols=1 if len(lines) == 1 else 2, fontsize=15, frameon=False, labelcolor=_INK,
        handlelength=1.6, columnspacing=1.6,
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_parse_math(False)


def _plot(axes: "Axes", line: Line, scale: Scale, *, colour: str, width: float, label: str, dash: str = "-") -> None:
    """Draw a line with its gaps; a point without neighbours is a dot."""
    times = [_number(at) for at, _ in line.points]
    values = [float("nan") if value is None else value / scale.factor for _, value in line.points]
    axes.plot(times, values, label=label or "_unnamed", color=colour, linewidth=width, linestyle=dash)
    alone = [
        number
        for number, (_, value) in enumerate(line.points)
        if value is not None
        and all(line.points[next_to][1] is None for next_to in (number - 1, number + 1) if _within(line, next_to))
    ]
    if alone:
        axes.plot([times[n] for n in alone], [values[n] for n in alone], "o", color=colour, markersize=2.4 * width)


def _number(moment: datetime) -> float:
    """Return a moment as matplotlib counts them: days since 1970."""
    return moment.timestamp() / 86_400.0


def _within(line: Line, number: int) -> bool:
    return 0 <= number < len(line.points)


def _value_axis(axes: "Axes", chart: Chart, scale: Scale, low: float, high: float) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator  # noqa: PLC0415 - heavy, only with a chart

    if chart.high is not None and high >= chart.high * 0.5:
        axes.axhline(chart.high / scale.factor, color=_ALARM, linewidth=1.6, linestyle=(0, (2, 2)))
        high, low = max(high, chart.high), min(low, chart.high)
    bottom, top = _limits(low, high, chart.unit)
    axes.set_ylim(bottom / scale.factor, top / scale.factor)
    locator = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10])
    axes.yaxis.set_major_locator(locator)
    ticks = [float(tick) for tick in axes.get_yticks()]
    decimals = _decimals(ticks[1] - ticks[0])

    def written(value: float, _position: int | None) -> str:
        return scale.text(value * scale.factor, decimals)

    axes.yaxis.set_major_formatter(FuncFormatter(written))


def _decimals(step: float) -> int:
    """Return how many decimals it takes to tell neighbouring ticks apart, and to write each exactly."""
    return next(
        (digits for digits in range(_MOST_DECIMALS) if abs(round(step, digits) - step) < step * 1e-3), _MOST_DECIMALS
    )


def _limits(low: float, high: float, unit: str) -> tuple[float, float]:
    """Return the range of the value axis: from zero where that costs little space, shares up to the whole."""
    whole = {"ratio": 1.0, "percent": 100.0}.get(unit)
    if whole is not None and low >= 0 and high <= whole:
        return 0.0, whole * 1.02
    if low >= 0 and low <= high * 0.7:
        return 0.0, high * 1.08 or 1.0
    room = (high - low) * 0.1 or abs(high) * 0.1 or 1.0
    return low - room, high + room


def _time_axis(axes: "Axes", chart: Chart) -> None:
    """Draw the time axis in the owner's zone. The day and the zone are shown once, at the right."""
    from matplotlib.dates import AutoDateLocator, DateFormatter  # noqa: PLC0415 - heavy, only with a chart

    every = [at for line in chart.lines for at, _ in line.points]
    since, before = chart.since or min(every, default=None), chart.before or max(every, default=None)
    if since is None or before is None:
        axes.set_xticks([])
        return
    if since == before:
        since, before = since - timedelta(minutes=5), before + timedelta(minutes=5)
    axes.set_xlim(_number(since), _number(before))
    axes.xaxis_date(tz=chart.zone)
    axes.xaxis.set_major_locator(AutoDateLocator(tz=chart.zone, minticks=3, maxticks=7))
    axes.xaxis.set_major_formatter(DateFormatter(_form_of(before - since), tz=chart.zone))
    axes.set_xlabel(_when(since, before, chart), loc="right", fontsize=13, color=_INK, parse_math=False)


def _form_of(span: timedelta) -> str:
    if span <= timedelta(minutes=5):
        return "%H:%M:%S"
    if span <= timedelta(hours=30):
        return "%H:%M"
    return "%m-%d %H:%M" if span <= timedelta(days=4) else "%Y-%m-%d" if span > timedelta(days=300) else "%m-%d"


def _when(since: datetime, before: datetime, chart: Chart) -> str:
    days = dict.fromkeys(f"{at.astimezone(chart.zone):%Y-%m-%d}" for at in (since, before))
    return f"{' – '.join(days)}, {chart.zone.key}"


def _drawable(text: str, longest: int) -> str:
    """Return the text on one line, cut to length, with a box for characters that are invisible or not in the font."""
    from matplotlib import font_manager  # noqa: PLC0415 - heavy, only with a chart

    line = " ".join(text.split())
    if len(line) > longest:
        line = f"{line[: longest - longest // 3 - 1]}…{line[-(longest // 3) :]}"
    known = font_manager.get_font(font_manager.findfont("DejaVu Sans")).get_charmap()
    return "".join(letter if letter.isprintable() and ord(letter) in known else "□" for letter in line)
