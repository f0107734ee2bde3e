"""A card about many mails says what was asked for in words, and not by the names that Gmail's API has."""

from typing import cast

import pytest

from butler.contract.bulk import BulkLauncher
from butler.contract.speech import speak
from config.language import OwnerLanguage
from modules.email.bulk.tools import MailBulk
from modules.email.bulk_args import MailSelection


@pytest.mark.parametrize(
    ("language", "label", "tab"),
    [(OwnerLanguage.ENGLISH, "Tab", "Promotions"), (OwnerLanguage.GERMAN, "Reiter", "Werbung")],
)
def test_a_tab_of_gmails_goes_by_the_name_that_gmail_shows(language: OwnerLanguage, label: str, tab: str) -> None:
    archive = next(
        one
        for one in MailBulk(cast("BulkLauncher", None), {"main": "gmail"}).specs()
        if one.tool_name == "user_email_archive"
    )
    assert archive.preview is not None
    speak(language)
    try:
        facts = dict(archive.preview(MailSelection.model_validate({"category": "promotions"})).facts)
    finally:
        speak(OwnerLanguage.ENGLISH)
    assert facts[label] == tab


def test_a_contact_among_the_senders_is_searched_for_by_the_bare_address() -> None:
    said = MailSelection.model_validate(
        {"senders": ["mail:anna@friends.example", "Ben"], "keep": ["mail:eve@x.example"]}
    )
    assert (said.senders, said.keep) == (("anna@friends.example", "Ben"), ("eve@x.example",))


def test_a_card_says_how_many_named_mails_are_left_out() -> None:
    archive = next(
        one
        for one in MailBulk(cast("BulkLauncher", None), {"main": "gmail"}).specs()
        if one.tool_name == "user_email_archive"
    )
    assert archive.preview is not None
    said = MailSelection.model_validate({"senders": ["anna"], "keep_mails": ["18f0", "18f1"]})
    assert dict(archive.preview(said).facts)["But not"] == "2 mails that were named"
