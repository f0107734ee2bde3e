"""Personal data is found by its form, its check digits, and what it is called."""

import pytest

from tests.guardrails.guards import found, incoming

GITHUB = "ghp_" + "5GApeIdgsaD3au4EwdDeJ14k3J1tgpItGHf1"
BOT = "1357301253:" + "AAcowD3up4qoJ7CxqI8fdHgg1cHzEHoI3ld"
SESSION = "1" + "BVtsOGcBu" * 39
KEY = f"-----BEGIN {'RSA'} PRIVATE KEY-----\nMIIEow\nIBAAKC==\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("Card 4111 1111 1111 1111 please", "CREDIT_CARD", "4111 1111 1111 1111"),
        ("to DE89 3704 0044 0532 0130 00 today", "IBAN_CODE", "DE89 3704 0044 0532 0130 00"),
        ("Steuer-ID 86 095 742 719", "NATIONAL_ID", "86 095 742 719"),
        ("NIR 2 55 08 14 168 025 38", "NATIONAL_ID", "2 55 08 14 168 025 38"),
        ("DNI 12345678Z", "NATIONAL_ID", "12345678Z"),
        ("NIE X1234567L", "NATIONAL_ID", "X1234567L"),
        ("SSN 536-90-4399", "NATIONAL_ID", "536-90-4399"),
        ("NINO AB 12 34 56 C", "NATIONAL_ID", "AB 12 34 56 C"),
        ("AHV 756.9217.0769.85", "NATIONAL_ID", "756.9217.0769.85"),
        ("born on 12 March 1961", "DATE_OF_BIRTH", "12 March 1961"),
        ("geboren am 3.4.1975", "DATE_OF_BIRTH", "3.4.1975"),
        ("Ruf mich an: Tel. 030 1234567", "PHONE_NUMBER", "030 1234567"),
        ("dial +49 (0)30 901820", "PHONE_NUMBER", "+49 (0)30 901820"),
        ("at 2001:db8::8a2e:370:7334", "IP_ADDRESS", "2001:db8::8a2e:370:7334"),
        ("mot de passe : S3same!ouvre", "PASSWORD", "S3same!ouvre"),
        ("Your verification code is 482913.", "OTP_CODE", "482913"),
        ("482913 is your Telegram login code", "OTP_CODE", "482913"),
        (f"use {GITHUB} for it", "API_KEY", GITHUB),
        (f"the bot: {BOT}", "API_KEY", BOT),
        (f"session {SESSION}", "API_KEY", SESSION),
        (KEY, "API_KEY", KEY),
        ("postgres://robin:hunter2@db.example/x", "API_KEY", "hunter2"),
        ("Ｍｙ card is ４１１１ １１１１ １１１１ １１１１", "CREDIT_CARD", "４１１１ １１１１ １１１１ １１１１"),
    ],
)
def test_what_identifies_somebody_or_opens_something_is_found(text: str, kind: str, value: str) -> None:
    verdict = incoming(text)
    assert (kind, value) in found(text, verdict)
    assert verdict.is_safe
    assert verdict.risk_category == "pii"


@pytest.mark.parametrize("line", ["\n", "\r\n", " \n  "])
@pytest.mark.parametrize(
    ("label", "value", "kind"),
    [
        ("Credit card", "587428561654", "CREDIT_CARD"),
        ("cc", "5019717010103742", "CREDIT_CARD"),
        ("Passport number:", "C01X00T47", "PASSPORT"),
        ("Date of birth", "12.03.1961", "DATE_OF_BIRTH"),
        ("Codice fiscale:", "TIELCF56S10A395U", "NATIONAL_ID"),
        ("BSN", "111222333", "NATIONAL_ID"),
        ("SSN:", "536 90 4399", "NATIONAL_ID"),
        ("Phone", "030 1234567", "PHONE_NUMBER"),
        ("mot de passe :", "S3same!ouvre", "PASSWORD"),
        ("PIN", "4821", "PASSWORD"),
        ("Your verification code", "482913", "OTP_CODE"),
        ("Kennzeichen", "WE94 KMS", "LICENSE_PLATE"),
        ("Driver's license", "A1234567", "US_DRIVER_LICENSE"),
    ],
)
def test_a_value_on_the_line_below_its_label_is_found(label: str, value: str, kind: str, line: str) -> None:
    text = f"Anna\n{label}{line}{value}\nthat is all"
    assert (kind, value) in found(text, incoming(text))
    apart = f"Anna\n{label}\n\n{value}\nthat is all"
    assert (kind, value) not in found(apart, incoming(apart))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("cc 5019717010103742", "5019717010103742"),
        ("CC: 6011.1111.1111.1117", "6011.1111.1111.1117"),
        ("ccn 587428561654", "587428561654"),
        ("my cc number is 587428561654", "587428561654"),
        ("cc#5019717010103742", "5019717010103742"),
        ("cc5019717010103742", "5019717010103742"),
        ("Visa 4917.6100.0000.0000", "4917.6100.0000.0000"),
    ],
)
def test_a_card_behind_cc_or_its_kind_is_found(text: str, value: str) -> None:
    assert ("CREDIT_CARD", value) in found(text, incoming(text))


@pytest.mark.parametrize(
    "text", ["Cc: anna@friends.example, 2026-11-29 10:00:00", "cc 5019717010103743", "by car\nin 2024"]
)
def test_a_copy_in_a_mail_and_a_wrong_number_are_no_card(text: str) -> None:
    assert not {"CREDIT_CARD", "LICENSE_PLATE"} & {kind for kind, _ in found(text, incoming(text))}


@pytest.mark.parametrize(
    "text",
    [
        "Card 4111 1111 1111 1112",
        "to DE89370400440532013001",
        "DNI 12345678A",
        "AHV 756.9217.0769.84",
        "SSN 000-12-3456",
        "version 10.0.19045.4412",
        "Meeting on 2024-09-30 from 14:00 to 15:00 in room 4-201",
        "std::vector and a::b",
        "order 4006381333931 at 1,234,567.89",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "born to run",
    ],
)
def test_numbers_that_only_look_so_are_left_alone(text: str) -> None:
    assert incoming(text).spans == []


def test_many_findings_are_taken_out_and_what_comes_after_the_limit_is_withheld() -> None:
    text = "a@one.example " * 3_000 + "the end"
    verdict = incoming(text)
    assert "a@one.example" not in verdict.sanitized_content
    assert "withheld" in verdict.reasoning


def test_what_is_too_long_is_looked_at_as_far_as_it_is_shown() -> None:
    verdict = incoming("word " * 200_001 + "a@one.example")
    assert verdict.reasoning.endswith("Only the first 1,000,000 characters were looked at.")
    assert len(verdict.sanitized_content) == 1_000_000
