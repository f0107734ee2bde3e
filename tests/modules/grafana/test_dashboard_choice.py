"""Which dashboard is meant by a person's words: whole words count, words that say nothing do not."""

import pytest

from modules.grafana.dashboard_choice import fitting, panels_of, the_one
from modules.grafana.wire import Hit, PanelModel

TITLES = ("Web server", "Offers of the week", "Orders", "Datenbank", "Serveur de la maison", "Casa y jardín")


def hits(*titles: str) -> list[Hit]:
    return [Hit(uid=title.lower().replace(" ", "-"), title=title) for title in titles]


def chosen(words: str, *titles: str) -> str | None:
    every = hits(*(titles or TITLES))
    one = the_one(fitting(every, words), words)
    return one.title if one else None


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("of the server", "Web server"),
        ("the web servers please", "Web server"),
        ("of the orders", "Orders"),
        ("Order", "Orders"),
        ("the offers of this week", "Offers of the week"),
        ("von der Datenbank", "Datenbank"),
        ("le tableau de bord du serveur", "Serveur de la maison"),
        ("el tablero de mi jardín", "Casa y jardín"),
        ("orders!", "Orders"),
    ],
)
def test_the_words_that_say_something_choose(words: str, title: str) -> None:
    assert chosen(words) == title


@pytest.mark.parametrize(
    "words", ["of my car", "of the", "de la", "the dashboard", "eb", "order of magnitude of my debts"]
)
def test_words_that_tell_none_choose_none(words: str) -> None:
    assert chosen(words) is None


def test_of_several_that_fit_equally_none_is_chosen() -> None:
    titles = ("Web server", "Mail server", "Orders")
    assert [hit.title for hit in fitting(hits(*titles), "the server")] == ["Web server", "Mail server"]
    assert chosen("the server", *titles) is None
    assert chosen("the mail server", *titles) == "Mail server"


def test_a_title_that_is_just_this_goes_before_longer_ones() -> None:
    assert chosen("Web Server", "Web server", "Web server at work") == "Web server"


def test_panels_are_chosen_by_whole_words_too() -> None:
    panels = [
        PanelModel.model_validate({"id": n, "title": title}) for n, title in enumerate(("Load", "Downloads", "In"))
    ]
    assert [panel.title for panel in panels_of(panels, "the load")] == ["Load"]
    assert [panel.title for panel in panels_of(panels, "in")] == ["In"], "its title is just this"
    assert panels_of(panels, "of the") == []
