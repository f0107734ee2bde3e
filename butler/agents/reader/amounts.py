"""Finds amounts of money as people write them, by value and currency: `€1.200,50`, `1,200.50 euros`, `CHF 40.-`."""

import re
from collections.abc import Iterator
from decimal import Decimal

from butler.agents.reader.port import Amount

_NAMES = {
    "EUR": "€ eur euro euros",
    "USD": "us$ $ usd dollar dollars dólar dólares",
    "GBP": "£ gbp pound pounds pfund libra libras",
    "CHF": "chf franken sfr",
    "JPY": "¥ jpy yen",
}
_CURRENCIES = {name: code for code, names in _NAMES.items() for name in names.split()}
_WORDS = "|".join(re.escape(name) for name in sorted(_CURRENCIES, key=len, reverse=True))
_CURRENCY = rf"(?:{_WORDS})"
_NUMBER = r"\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,12}(?:[.,]\d{1,2})?(?!\d)"
_AMOUNT = re.compile(
    rf"(?<![\w.,])(?P<before>{_CURRENCY})\s?(?P<first>{_NUMBER})|"
    rf"(?<![\w.,])(?P<second>{_NUMBER})(?:[.,][-–—]{{1,2}})?\s?(?P<after>{_CURRENCY})(?!\w)",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"[.,](\d{1,2})$")


def amounts(text: str) -> Iterator[Amount]:
    """Yield every amount of a text that has a currency, in order."""
    for found in _AMOUNT.finditer(text):
        currency = _CURRENCIES[(found["before"] or found["after"]).casefold()]
        yield Amount(value=_value(found["first"] or found["second"]), currency=currency)


def _value(written: str) -> Decimal:
    fraction = _FRACTION.search(written)
    whole = re.sub(r"\D", "", written[: fraction.start()] if fraction else written)
    return Decimal(f"{whole}.{fraction[1]}" if fraction else whole)
