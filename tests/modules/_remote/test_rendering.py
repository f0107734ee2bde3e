"""What the person's own servers answered: tables that fit, finds in lines, dashboards, files behind a link."""

from typing import Any

import pytest

from butler.contract.card import Rich, Style, rich_text
from tests.modules._signals.builders import series
from tests.support.rendering import TOOLS, ZONE, shown


def told(channel: str, action: str, **data: Any) -> Rich:
    tool = f"bot_{channel}_{action}"
    found = TOOLS.renderer(tool).render(shown(tool, data), ZONE)
    assert found is not None
    return found.text


def test_rows_are_a_table_that_lines_up() -> None:
    columns = [{"name": "id", "type": "int4"}, {"name": "title", "type": "text"}]
    found = told("postgres", "query", columns=columns, rows=[[1, "Rent"], [22, None]], count=2, complete=True)
    assert [span.style for span in found] == [Style.PRE]
    assert rich_text(found) == "id  title\n──  ─────\n1   Rent\n22  –"


def test_many_rows_and_columns_are_cut_and_counted() -> None:
    columns = [{"name": f"c{n}", "type": "int4"} for n in range(9)]
    found = told("postgres", "query", columns=columns, rows=[list(range(9))] * 45, count=45, complete=False)
    said = rich_text(found)
    assert "And 25 more rows." in said
    assert "3 columns are not shown." in said
    assert "There is more than I was given." in said
    assert len(said.splitlines()) < 30


def test_a_hostile_cell_cannot_break_out_of_its_table() -> None:
    found = told("postgres", "query", columns=[{"name": "x"}], rows=[["a\n✅ Done\u202e" + "y" * 900]], count=1)
    assert len(rich_text(found).splitlines()) == 3
    assert "[U+202E]" in rich_text(found)


def test_finds_are_numbered_with_their_title_or_what_their_record_holds() -> None:
    hits: list[dict[str, Any]] = [
        {"id": "1", "title": "Boiler", "text": "Invoice of May", "score": 0.91, "document": {}}
    ]
    said = rich_text(told("meilisearch", "search", hits=hits, count=1, estimated=12, index="papers"))
    assert said == "1. Boiler (0.91) Invoice of May\nAnd 2 more."
    matches = [{"id": 3, "score": 0.5, "payload": {"city": "Bern"}, "text": ""}]
    assert rich_text(told("qdrant", "search", matches=matches, count=1)) == "1. city: Bern (0.50)"
    assert rich_text(told("postgres", "vector_search", matches=[], count=0)) == "Nothing like that was found."


def test_a_dashboard_is_told_panel_by_panel() -> None:
    panel = {"panel_id": 1, "title": "CPU", "kind": "timeseries", "unit": "percent", "text": "",
             "series": [series([11.0, 12.0])]}  # fmt: skip
    dashboard = {"uid": "a", "title": "Home", "url": "https://grafana.home.example/d/a"}
    found = told("grafana", "query_dashboard", dashboards=[], dashboard=dashboard, panels=[panel], complete=True)
    assert rich_text(found) == "Home\nCPU: up 12 %"
    assert found[0].url == dashboard["url"]


def test_where_several_dashboards_fit_it_is_asked_which() -> None:
    two = [{"uid": "a", "title": "Home", "url": ""}, {"uid": "b", "title": "Home 2", "url": "javascript:1"}]
    found = told("grafana", "query_dashboard", dashboards=two, dashboard=None, panels=[], complete=True)
    assert rich_text(found) == "Which dashboard do you mean?\n• Home\n• Home 2"
    assert not any(span.url for span in found)


def test_a_stored_file_is_a_link_behind_words() -> None:
    link = "https://r2.example/x?X-Amz-Signature=abc"
    found = told("r2", "get_object", key="papers/a.pdf", size=12_345, link=link,
                 link_expires_at="2026-03-06T21:30:00+00:00", file=None)  # fmt: skip
    said = rich_text(found)
    assert said.startswith("papers/a.pdf (12,345 bytes)\nOpen the file\nThe link holds until Fri 6 Mar 22:30")
    assert "Signature" not in said


def test_what_was_put_into_the_storage_is_told_with_its_link_and_when_that_ends() -> None:
    link = "https://r2.example/x?X-Amz-Signature=abc"
    found = told("r2", "put_object", key="reports/march.pdf", size=12_345, etag="1", link=link,
                 link_expires_at="2026-03-06T21:30:00+00:00")  # fmt: skip
    said = rich_text(found)
    assert said.startswith("✅ The file is in your storage: reports/march.pdf (12,345 bytes)\nOpen the file\nThe link")
    assert "until Fri 6 Mar 22:30" in said
    assert "Signature" not in said
    assert [(span.text, span.url) for span in found if span.style is Style.LINK] == [("Open the file", link)]
    bare = told("r2", "put_object", key="reports/march.pdf", size=12_345)
    assert rich_text(bare) == "✅ The file is in your storage: reports/march.pdf (12,345 bytes)"


@pytest.mark.parametrize(
    ("channel", "action"),
    [("r2", "put_object"),
     ("postgres", "query"), ("qdrant", "search"), ("meilisearch", "search"), ("grafana", "query_dashboard"),
     ("r2", "get_object"), ("qdrant", "health_check"), ("postgres", "vector_search")],
)  # fmt: skip
@pytest.mark.parametrize("odd", [5, None, "x", [5, None, [], {"points": 3, "series": [4]}]])
def test_garbled_records_are_no_failure(channel: str, action: str, odd: Any) -> None:
    names = ("columns", "rows", "matches", "hits", "dashboards", "dashboard", "panels", "size", "key", "collections")
    assert len(rich_text(told(channel, action, **dict.fromkeys(names, odd)))) < 1_000


def test_other_steps_are_left_to_others() -> None:
    assert TOOLS.renderer("user_email_search_inbox").render(shown("user_email_search_inbox", {}), ZONE) is None
