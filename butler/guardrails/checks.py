# ruff: noqa: PLR2004 - numbers of the schemes themselves
"""Validates numbers: check digits, lengths and ranges."""

import ipaddress
import re
from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache

_CARD = re.compile(
    r"3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|4\d{15}|4\d{18}|5[1-5]\d{14}|2[2-7]\d{14}|35\d{14}|6[0-9]\d{14}"
)
_IBANS = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "LY PT ST",
    26: "IS TR",
    27: "FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB PL",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
}
_LENGTHS = {country: length for length, countries in _IBANS.items() for country in countries.split()}
_DNI = "TRWAGMYFPDXBNJZSQVHLCKE"
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
"""The values of digits and letters in odd places of an Italian tax code."""


def digits(text: str) -> str:
    """Return the digits of a text."""
    return "".join(char for char in text if char.isdigit())


def _squeezed(text: str) -> str:
    return "".join(char for char in text if char.isalnum()).upper()


def luhn(text: str) -> bool:
    """Return whether a number has the check digit of payment cards."""
    values = [int(digit) for digit in reversed(digits(text))]
    return sum(value if at % 2 == 0 else value * 2 - 9 * (value > 4) for at, value in enumerate(values)) % 10 == 0


def card(text: str) -> bool:
    """Return whether a number is a card number on its own: a known kind of that length, with its check digit."""
    return _CARD.fullmatch(digits(text)) is not None and luhn(text)


def called_card(text: str) -> bool:
    """Return whether a number that the text calls a card number can be one."""
    return len(set(digits(text))) > 2 and luhn(text)


def iban(text: str) -> bool:
    """Return whether a text is an IBAN with its country's length and valid check digits."""
    number = _squeezed(text)
    if _LENGTHS.get(number[:2]) != len(number):
        return False
    return int("".join(str(int(char, 36)) for char in number[4:] + number[:4])) % 97 == 1


def ip(text: str) -> bool:
    """Return whether a text is an IP address; `::` alone is punctuation."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.version == 4 or any(char.isdigit() for char in text)


@lru_cache(maxsize=4096)
def international_phone(text: str) -> bool:
    """Return whether a number with a country code is a valid phone number."""
    import phonenumbers  # noqa: PLC0415 - carries the plans of all countries

    number = re.sub(r"\s*(?:x|ext\.?)\s*\d+$", "", text)
    number = "+" + digits(number)[2:] if number.startswith("00") else number
    try:
        return phonenumbers.is_possible_number(phonenumbers.parse(number.replace("(0)", ""), None))
    except phonenumbers.NumberParseException:
        return False


def phone(text: str) -> bool:
    """Return whether a number that the text calls a phone number can be one, and is no date."""
    number = digits(re.split(r"(?:x|ext)", text)[0])
    return 7 <= len(number) <= 15 and not re.match(r"(?:19|20)\d\d-\d\d-\d\d|\d\d\.\d\d\.(?:19|20)\d\d$", text)


def ssn(text: str) -> bool:
    """Return whether a number can be a valid US social security number."""
    number = digits(text)
    return not (number[:3] in {"000", "666"} or number[0] == "9" or number[3:5] == "00" or number[5:] == "0000")


def steuer_id(text: str) -> bool:
    """Validate a German tax number: one digit occurs two or three times, and ISO 7064 mod 11,10 holds."""
    number = digits(text)
    if number[0] == "0" or max(number[:10].count(digit) for digit in number[:10]) not in {2, 3}:
        return False
    product = 10
    for digit in number[:10]:
        product = ((int(digit) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(number[10])


def nir(text: str) -> bool:
    """Validate a French social security number: its last two digits complete the rest to 97."""
    number = _squeezed(text)
    body, key = number[:13].replace("2A", "19").replace("2B", "18"), number[13:]
    return body.isdigit() and key.isdigit() and 97 - int(body) % 97 == int(key)


def dni(text: str) -> bool:
    """Validate a Spanish DNI or NIE: the letter follows from the number."""
    number = _squeezed(text)
    head = {"X": "0", "Y": "1", "Z": "2"}.get(number[0], number[0]) + number[1:-1]
    return _DNI[int(head) % 23] == number[-1]


def codice_fiscale(text: str) -> bool:
    """Validate an Italian tax code: the last letter follows from the others."""
    values = [int(char, 36) - (0 if char.isdigit() else 10) for char in _squeezed(text)]
    total = sum(_ODD[value] if at % 2 == 0 else value for at, value in enumerate(values[:15]))
    return total % 26 == values[15]


def pesel(text: str) -> bool:
    """Validate a Polish PESEL, by its check digit and its date."""
    number = [int(digit) for digit in digits(text)]
    total = sum(digit * (1, 3, 7, 9)[at % 4] for at, digit in enumerate(number[:10]))
    month = (number[2] * 10 + number[3]) % 20
    return (10 - total % 10) % 10 == number[10] and 1 <= month <= 12


def bsn(text: str) -> bool:
    """Validate a Dutch BSN, by the eleven test."""
    number = [int(digit) for digit in digits(text)]
    total = sum(digit * (9 - at) for at, digit in enumerate(number[:8])) - number[8]
    return total % 11 == 0


def ahv(text: str) -> bool:
    """Validate a Swiss social security number, by its check digit."""
    number = [int(digit) for digit in digits(text)]
    return sum(digit * (1, 3)[at % 2] for at, digit in enumerate(number)) % 10 == 0


def calendar_date(text: str) -> bool:
    """Return whether three numbers can be a date in somebody's life."""
    parts = [int(part) for part in re.findall(r"\d+", text)]
    if len(parts) != 3:
        return True
    year, rest = (parts[0], parts[1:]) if parts[0] > 31 else (parts[2], parts[:2])
    try:
        date(year + (1900 if year < 100 else 0), min(rest), 1)
    except ValueError:
        return False
    return max(rest) <= 31


def string_session(text: str) -> bool:
    """Return whether a text has the length of a Telethon string session, with an IPv4 or an IPv6 address."""
    return len(text.rstrip("=")) in {352, 353, 368}


def has_digit(text: str) -> bool:
    """Return whether a text holds a digit, as most passwords and all number plates do."""
    return any(char.isdigit() for char in text)


CHECKS: Mapping[str, Callable[[str], bool]] = {
    "": lambda _: True,
    "luhn": called_card,
    "card": card,
    "iban": iban,
    "ip": ip,
    "international_phone": international_phone,
    "phone": phone,
    "ssn": ssn,
    "steuer_id": steuer_id,
    "nir": nir,
    "dni": dni,
    "codice_fiscale": codice_fiscale,
    "pesel": pesel,
    "bsn": bsn,
    "ahv": ahv,
    "date": calendar_date,
    "string_session": string_session,
    "has_digit": has_digit,
}
