"""Gmail's answers in our own terms, whatever a mail makes of them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from modules.email.gmail.answers import got, header_block
from modules.email.integration_gmail_records import Got
from modules.email.parsing.parser import parse_mail

MESSAGE: dict[str, Any] = {"id": "1", "threadId": "1", "internalDate": "1000"}
EPOCH = datetime.fromtimestamp(0, UTC)


@pytest.mark.parametrize("time", ["-5", "99999999999999999999", "never"])
def test_a_mail_whose_time_is_none_holds_nothing_up(time: str) -> None:
    assert Got.model_validate(got(MESSAGE | {"internalDate": time})).received_at == EPOCH


def test_what_no_store_takes_is_left_out_of_a_text() -> None:
    assert got(MESSAGE | {"snippet": "a\ud800b\0c &amp; d"})["snippet"] == "a?bc & d"


@pytest.mark.parametrize(
    ("value", "address", "name"),
    [
        ("anna@friends.example", "anna@friends.example", ""),
        ("Bell, Anna <anna@friends.example>", "anna@friends.example", "Bell, Anna"),
        ('"Bell, Anna" <anna@friends.example>', "anna@friends.example", "Bell, Anna"),
        ("Anna <anna@friends.example> <eve@evil.example>", "eve@evil.example", "Anna <anna@friends.example>"),
        ('anna@friends.example, "x" <eve@evil.example>', "eve@evil.example", "anna@friends.example, x"),
    ],
)
def test_the_sender_is_the_address_at_the_end(value: str, address: str, name: str) -> None:
    headers = {"payload": {"headers": [{"name": "From", "value": value}]}}
    mail, _ = parse_mail(header_block(headers))
    assert mail.sender is not None
    assert (mail.sender.address, mail.sender.name) == (address, name)


def test_a_header_cannot_begin_another() -> None:
    headers = {"payload": {"headers": [{"name": "Subject", "value": "Hi\r\nFrom: eve@evil.example"}]}}
    assert parse_mail(header_block(headers))[0].sender is None
