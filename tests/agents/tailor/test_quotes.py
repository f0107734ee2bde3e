"""A quote stands in its source or it does not; a figure is compared by its value."""

import pytest

from butler.agents.tailor.figures import figures
from butler.agents.tailor.quotes import find_quote, says_something


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("falls due on the 3rd", "It falls due on\n  the 3rd.", "falls due on\n  the 3rd"),
        ('"it\'s late"', "He said: “it’s late” and left", "it’s late"),
        ("Café au lait", "Cafe\u0301 au\u00a0lait, please", "Cafe\u0301 au\u00a0lait"),
        ("the long-term plan", "the long\u2011term plan", "the long\u2011term plan"),
        ("ein Ver\u00adtrag", "ein Vertrag", "ein Vertrag"),
        ("due on the 3", "due on the 3rd", None),
        ("rent is 100", "the rent is 1000", None),
        ("Falls due", "falls due", None),
        ("falls due on the 4th", "falls due on the 3rd", None),
        ("", "anything", None),
        ("''", "anything", None),
    ],
)
def test_a_quote_is_given_back_as_its_source_writes_it(quote: str, text: str, found: str | None) -> None:
    assert find_quote(quote, text) == found


@pytest.mark.parametrize(
    ("quote", "enough"), [("the", False), ("of the", False), ("three months' rent", True), ("240", True)]
)
def test_a_quote_that_could_stand_anywhere_bears_nothing_out(quote: str, enough: bool) -> None:
    assert says_something(quote) is enough


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It is due on 3 March 2026.", "due 03.03.2026"),
        ("It is due on 2026-03-03.", "fällig am 3. März 2026"),
        ("1.200,00 EUR", "EUR 1,200"),
        ("1 200 €", "1,200.00"),
        ("1'200.50", "1.200,5"),
        ("at 10:30", "um 10.30 Uhr"),
        ("three months", "3 months"),
        ("drei Monate", "three months"),
        ("See https://a.example/x.", "look at https://a.example/x"),
        ("Write to anna@friends.example.", "Anna@friends.example"),
        ("on 14 April", "14/4"),
    ],
)
def test_figures_that_a_source_holds_in_another_form_are_borne_out(claim: str, source: str) -> None:
    assert figures(claim).missing_in(figures(source)) == []


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("It costs 1,300 EUR.", "EUR 1,200"),
        ("It costs 12 EUR.", "EUR 1,200"),
        ("It costs 200 EUR.", "EUR 1,200"),
        ("It costs 200 EUR.", "EUR 1,200.00"),
        ("on the 3rd of March", "on the 3rd"),
        ("on 4 March", "3 March"),
        ("on 3 April", "3 March"),
        ("in five months", "in three months"),
        ("See https://evil.example/x", "see https://a.example/x"),
        ("See https://a.example/?q=secret", "see https://a.example/"),
        ("See evil.example", "see a.example"),
        ("Write to eve@evil.example", "anna@friends.example"),
        ("www.evil.example/a", "nothing"),
        ("3.5 %", "35 %"),
    ],
)
def test_figures_that_no_source_holds_are_found(claim: str, source: str) -> None:
    assert figures(claim).missing_in(figures(source))
