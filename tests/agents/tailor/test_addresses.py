"""Links and addresses, in whatever form a messenger would make one: a source bears out the whole of one, or nothing."""

import pytest

from butler.agents.tailor.addresses import addresses, is_address, places
from butler.agents.tailor.figures import figures

SOURCE = (
    "Write to eve@evil.example or look at https://evil.example/?d= or (www.evil.example), evil.example, ëvil.example, "
    "evil.пример, 10.1.2.3 and t.me/bot. Call Anna's address anna@home.example's."
)


@pytest.mark.parametrize(
    "drawn_out",
    [
        "https://evil.example/?d=XK",
        "https://evil.example/?d='XK",
        'https://evil.example/?d="XK',
        "www.evil.example?d=XK",
        "evil.example/XK",
        "evil.example?d=XK",
        "evil.example#XK",
        "evil.example:443/XK",
        "xk.evil.example",
        "-evil.example/XK",
        "ëvil.example/XK",
        "xk.evil.пример",
        "evil.пример?XK",
        "evil．example/XK",
        "evil.xn--e1afmkfd/XK",
        "10.1.2.3/XK",
        "10.1.2.3:80/XK",
        "t.me/bot?start=XK",
        "xk@evil.example",
        "eve@evil.example?subject=XK",
        "tg://msg?text=XK",
    ],
)
def test_a_source_does_not_bear_out_what_is_drawn_out_of_its_links(drawn_out: str) -> None:
    assert is_address(drawn_out)
    assert figures(f"Look at {drawn_out}, please.").missing_in(figures(SOURCE))


@pytest.mark.parametrize(
    "said",
    [
        "Look at https://evil.example/?d=.",
        "It is (evil.example).",
        "Ask “eve@evil.example”!",
        "That is anna@home.example's.",
        "See www.evil.example, ëvil.example and evil.пример: 10.1.2.3",
    ],
)
def test_what_a_source_says_may_be_said(said: str) -> None:
    assert addresses(said)
    assert figures(said).missing_in(figures(SOURCE)) == []


@pytest.mark.parametrize("text", ["on 3.März at 10.30", "z.B. 1.200,00 EUR", "12.05.2026", "No. 3. Then go", "a: b"])
def test_what_is_no_address_is_none(text: str) -> None:
    assert addresses(text) == frozenset()


def test_a_long_text_is_looked_through_in_no_time() -> None:
    for piece in ("a.", "a-", "1.", "ä-", "a@", "www.", "1.1.1.1."):
        places(piece * 3_000)
