"""The values of a chart, which the file stores beside its drawing."""

from xml.etree.ElementTree import Element

_A_T = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_MOST_POINTS = 1_000


def chart_rows(chart: Element | None) -> tuple[str, list[list[str]]]:
    """Return the title and a table: a row for each category, a column for each series. Empty without values."""
    if chart is None:
        return "", []
    title = chart.find(f"{_C}chart/{_C}title")
    sentence = "".join(text.text or "" for text in title.iter(_A_T)) if title is not None else ""
    names: list[str] = []
    categories: dict[int, str] = {}
    columns: list[dict[int, str]] = []
    for series in chart.iter(f"{_C}ser"):
        names.append(" ".join(_points(series.find(f"{_C}tx")).values()))
        for tag in ("cat", "xVal"):
            categories = _points(series.find(f"{_C}{tag}")) | categories
        values = {at: value for tag in ("val", "yVal") for at, value in _points(series.find(f"{_C}{tag}")).items()}
        columns.append(values)
    places = sorted({at for column in columns for at in column} | set(categories))[:_MOST_POINTS]
    if not any(columns):
        return sentence.strip(), []
    body = [[categories.get(at, str(at + 1)), *(column.get(at, "") for column in columns)] for at in places]
    return sentence.strip(), [["", *names], *body]


def _points(parent: Element | None) -> dict[int, str]:
    """Return the cached values by position."""
    found: dict[int, str] = {}
    for point in parent.iter(f"{_C}pt") if parent is not None else ():
        place = point.get("idx", "")
        if place.isdigit():
            found[int(place)] = (point.findtext(f"{_C}v") or "").strip()
    if not found and parent is not None and (value := parent.findtext(f"{_C}v")):
        found[0] = value
    return found
