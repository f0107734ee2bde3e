"""Variables go into queries as Grafana's own page puts them there."""

from typing import Any

import pytest

from modules.grafana.variables import put_in, values_of
from modules.grafana.wire import Variable

HOSTS = {
    "name": "host",
    "multi": True,
    "current": {"value": ["a.home", "b"]},
    "options": [{"value": "$__all"}, {"value": "a.home"}, {"value": "b"}, {"value": "c"}],
}


def written(text: str, *variables: dict[str, Any], source: str = "prometheus", **chosen: str) -> str:
    values = values_of([Variable.model_validate(one) for one in variables], chosen)
    made = put_in({"expr": [text]}, values, source)
    return made["expr"][0]


@pytest.mark.parametrize(
    ("use", "expected"),
    [
        ("$host", r"(a\\.home|b)"),
        ("${host}", r"(a\\.home|b)"),
        ("[[host]]", r"(a\\.home|b)"),
        ("${host:regex}", r"(a\\.home|b)"),
        ("${host:csv}", "a.home,b"),
        ("${host:raw}", "a.home,b"),
        ("[[host:pipe]]", "a.home|b"),
        ("${host:singlequote}", "'a.home','b'"),
        ("${host:doublequote}", '"a.home","b"'),
        ("${host:json}", '["a.home", "b"]'),
        ("$hosts and $other", "$hosts and $other"),
        ("rate(x[$__rate_interval])", "rate(x[$__rate_interval])"),
        ("$$host costs 5$", r"$(a\\.home|b) costs 5$"),
    ],
)
def test_each_way_of_writing_a_variable(use: str, expected: str) -> None:
    assert written(use, HOSTS) == expected


def test_a_pattern_is_escaped_once_where_it_stands_in_no_quotes_of_a_query_language() -> None:
    assert written("$host", HOSTS, source="mysql") == r"(a\.home|b)"


def test_all_is_every_option_or_what_the_dashboards_author_wrote_for_it() -> None:
    every = HOSTS | {"current": {"value": ["$__all"]}}
    assert written("$host", every) == r"(a\\.home|b|c)"
    assert written("$host", every | {"allValue": ".+"}) == ".+"
    assert written("$host", every | {"options": []}) == ".*"


def test_a_chosen_value_goes_before_the_stored_one() -> None:
    assert written("$host", HOSTS, host="c") == "c"
    assert written("$host", {"name": "host", "current": {"value": "a"}}, host="c") == "c"


def test_a_single_value_stands_as_it_is() -> None:
    assert written("$interval", {"name": "interval", "current": {"value": "5m"}}) == "5m"
    assert written("$n", {"name": "n", "current": {"value": 5}}) == "5"


def test_a_variable_without_a_value_stays_as_it_is_written() -> None:
    assert written("$empty", {"name": "empty", "current": {}}) == "$empty"
    assert written("$adhoc", {"name": "adhoc", "type": "adhoc", "current": None}) == "$adhoc"
