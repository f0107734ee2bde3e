"""What a client would make tappable, and how a text is broken up where nothing can be set as code."""

import time

import pytest

from butler.contract.tappable import broken, tappable


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tap https://evil.example/x now.", ["https://evil.example/x"]),
        ("(/pause) “@anna”, #tag.", ["/pause", "@anna", "#tag"]),
        ("call +49 171 2345678 or 0171/2345678", ["+49 171 2345678", "0171/2345678"]),
        ("config.toml, t.me/x?start=1", ["config.toml", "t.me/x?start=1"]),
        ("and/or 24/7 10.5 e.g. z.B. 2026-11-29 14:30 and 12,500", []),
        ("29.11.2026 12.500.000 2026-2027 3.14159265", []),
    ],
)
def test_what_is_found(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in tappable(text)] == found


def test_in_a_mail_links_are_broken_and_addresses_of_mail_are_not() -> None:
    text = "See https://evil.example/a.b, www.evil.example or write to Anna <anna@friends.example>. /resume"
    assert broken(text) == (
        "See https[:]//evil[.]example/a[.]b, www[.]evil[.]example or write to Anna <anna@friends.example>. /resume"
    )


@pytest.mark.parametrize("piece", ["a.", "/a ", "1 ", "@", "+(1", "x/y", "a", "(", ".", "1.1.", "://"])
def test_no_text_takes_long(piece: str) -> None:
    short, long = (min(took(piece * (size // len(piece))) for _ in range(3)) for size in (5_000, 80_000))
    # Sixteen times the text takes about sixteen times as long; were it quadratic, it would be 256 times.
    assert long < 100 * short + 0.01


def took(text: str) -> float:
    """Processor time in seconds, which others on the machine do not add to."""
    begun = time.process_time()
    tappable(text)
    broken(text)
    return time.process_time() - begun
