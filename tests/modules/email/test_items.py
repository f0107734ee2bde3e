"""The item of a mail: proved or not, once, and who may be answered at once."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from butler.contract.errors import Retryable
from butler.contract.inbound import Inbound
from butler.contract.provenance import Trust
from butler.contract.reasons import in_own_words
from butler.contract.speech import speak
from config.language import OwnerLanguage
from modules.email.authentication.dns_txt import DnsUnavailableError
from modules.email.config import BotMailboxSettings, StandingAnswer
from modules.email.fetching import NOT_GIVEN, TOO_LARGE
from modules.email.inbound import Place
from modules.email.items import MailItems
from tests.support.context import make_context
from tests.support.mail_items import SERVERS, InProcess, item_of
from tests.support.sealing import FORWARDER, sealed
from tests.support.signing import BUTLER, Dns, letter, now, signed
from tests.support.worded import authority_of, put_aside, worded

ME, ANNA = "me@home.example", "anna@friends.example"
NOW = now()
PLACE = Place(BUTLER, 1, 7, NOW)
ANSWER = "He is away until Monday."
SETTINGS = BotMailboxSettings.model_validate(
    {**SERVERS, "arc_sealers": [FORWARDER.upper()], "answers": [{"from": ANNA, "text": ANSWER}]}
)


def dns() -> Dns:
    return Dns(Dns.of().records | Dns.of("friends.example").records | Dns.of(FORWARDER).records)


async def made(raw: bytes, lookup: Dns | None = None, at: datetime = NOW, **changes: Any) -> Inbound:
    """The item of a mail; `changes` are what the parser found."""
    return await item_of(raw, lookup or dns(), at, settings=SETTINGS, changes=changes)


def mine(**headers: Any) -> bytes:
    return signed(letter(NOW, **({"From": f"Me <{ME}>"} | headers)), NOW)


def annas(**headers: Any) -> bytes:
    raw = letter(NOW, **({"From": f"Anna <{ANNA}>", "Message_ID": "<a@friends.example>"} | headers))
    return signed(raw, NOW, domain="friends.example")


def trusts(item: Inbound) -> set[Trust]:
    return {origin.trust for segment in item.segments for origin in segment.origins}


async def test_a_proved_mail_of_the_owners_commands_in_its_own_words() -> None:
    item = await made(mine())
    assert authority_of(item) == {"command": True, "why": "it is signed by home.example"}
    assert trusts(item) == {Trust.OWNER}
    assert item.origin.trust is Trust.UNTRUSTED
    assert item.mail is not None
    assert item.mail.answerable


async def test_capitals_in_the_butlers_own_address_do_not_matter() -> None:
    items = MailItems(InProcess(), make_context(), SETTINGS, lookup=dns())
    item = await items.make(Place(BUTLER.title(), 1, 7, NOW), mine())
    assert item.payload["authority"]["command"] is True


async def test_a_mail_that_names_the_owner_is_data() -> None:
    item = await made(letter(NOW, From=ME))
    assert item.payload["authority"]["command"] is False
    assert trusts(item) == {Trust.UNTRUSTED}


async def test_a_mail_through_a_forwarder_says_on_whose_word_it_rests() -> None:
    item = await made(sealed(mine().replace(b"Subject: ", b"Subject: [team] "), NOW))
    assert item.payload["authority"]["command"] is True
    assert item.payload["authority"]["sealed_by"] == FORWARDER


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"auto_submitted": "auto-replied"}, "it says that a machine sent it"),
        ({"list_id": "<friends.example>"}, "it came over a mailing list"),
        ({"kind": "automatic"}, "it was sent by a machine"),
        ({"butler_mark": "bot"}, "it was sent by a butler"),
    ],
)
async def test_what_a_program_sends_in_the_owners_name_commands_nothing(changes: dict[str, Any], why: str) -> None:
    item = await made(mine(), **changes)
    assert authority_of(item) == {"command": False, "why": why}
    assert trusts(item) == {Trust.UNTRUSTED}


@pytest.mark.parametrize(
    ("changes", "english", "german"),
    [
        ({}, "its signature of home.example is not right", "ihre Signatur von home.example ist nicht gültig"),
        (
            {"auto_submitted": "auto-replied"},
            "it says that a machine sent it",
            "sie gibt an, dass eine Maschine sie verschickt hat",
        ),
    ],
)
async def test_why_a_mail_commands_nothing_is_stored_without_a_language(
    changes: dict[str, Any], english: str, german: str
) -> None:
    item = stored(await made(mine().replace(b"<m1@", b"<m2@"), **changes))
    assert authority_of(item)["why"] == english
    speak(OwnerLanguage.GERMAN)
    assert authority_of(item)["why"] == german


async def test_why_a_mail_was_put_aside_and_gets_no_answer_is_stored_without_a_language() -> None:
    cut = in_own_words(TOO_LARGE, size="99")
    item = stored(await MailItems(InProcess(), make_context(), SETTINGS, lookup=dns()).make(PLACE, mine(), cut=cut))
    assert item.mail is not None
    assert put_aside(item) == "the mail has 99 bytes, too many to be read"
    assert worded(item.mail.why_not) == "could not be read as a whole"
    speak(OwnerLanguage.GERMAN)
    assert put_aside(item) == "die Mail hat 99 Bytes, zu viele, um sie zu lesen"
    assert worded(item.mail.why_not) == "konnte nicht vollständig gelesen werden"


def stored(item: Inbound) -> Inbound:
    """An item as it comes out of its row."""
    return Inbound.model_validate_json(item.model_dump_json())


async def test_dns_that_stays_silent_leaves_a_mail_as_data() -> None:
    silent = dns()
    silent.down = DnsUnavailableError()
    with pytest.raises(Retryable):
        await made(mine(), silent, now())
    late = await made(mine(), silent, now() - timedelta(minutes=2))
    assert authority_of(late)["why"] == "its signature could not be checked: DNS did not answer"


async def test_a_mail_that_comes_back_changed_only_where_nothing_is_signed_is_the_same_mail() -> None:
    unsigned = ("from", "to", "subject", "date", "message-id")
    first = signed(letter(NOW, From=ME), NOW, headers=unsigned)
    other = first.replace(b"text/plain; charset=utf-8", b"text/html; charset=utf-8")
    hop = b"Received: from somewhere\r\n" + other
    assert (await made(first)).payload["authority"]["command"] is True
    again = b"Received: from somewhere\r\n" + first
    assert {(await made(raw)).dedup_key for raw in (first, again)} == {(await made(first)).dedup_key}
    assert {(await made(raw)).dedup_key for raw in (other, hop)} == {(await made(other)).dedup_key}
    assert (await made(other)).payload["authority"]["command"] is False


async def test_a_copy_that_was_spoilt_on_its_way_does_not_stand_for_the_owners_own() -> None:
    own = signed(letter(NOW, From=ME), NOW)
    spoilt = own.replace(b"\r\n\r\n", b"\r\nList-Id: <a.list.example>\r\n\r\n", 1)
    items = [await made(raw) for raw in (spoilt, own)]
    assert [item.payload["authority"]["command"] for item in items] == [False, True]
    assert items[0].dedup_key != items[1].dedup_key


async def test_a_signature_under_another_message_id_is_none() -> None:
    item = await made(mine().replace(b"<m1@", b"<m2@"))
    assert authority_of(item) == {"command": False, "why": "its signature of home.example is not right"}


# Standing answers


async def test_a_standing_answer_is_for_who_is_proved_to_be_its_sender() -> None:
    item = await made(annas())
    assert item.mail is not None
    assert item.mail.standing_answer == ANSWER
    assert "authority" not in item.payload
    assert trusts(item) == {Trust.UNTRUSTED}


@pytest.mark.parametrize(
    ("raw", "changes"),
    [
        (letter(NOW, From=ANNA), {}),
        (signed(letter(NOW, From=ANNA), NOW, domain="evil.example"), {}),
        (annas(To="me@home.example"), {}),
        (annas().replace(b"tomorrow", b"today"), {}),
        (annas(), {"auto_submitted": "auto-replied"}),
        (annas(), {"precedence": "bulk"}),
        (annas(), {"return_path": ""}),
        (annas(From="Carol <carol@friends.example>"), {}),
        (b"X: y\r\n" + annas().replace(b"From: ", b"From: x@evil.example\r\nFrom: "), {}),
    ],
)
async def test_nobody_else_gets_a_standing_answer(raw: bytes, changes: dict[str, Any]) -> None:
    item = await made(raw, **changes)
    assert item.mail is not None
    assert item.mail.standing_answer == ""


async def test_the_owner_gets_no_standing_answer() -> None:
    theirs = SETTINGS.model_copy(update={"answers": (StandingAnswer.model_validate({"from": ME, "text": ANSWER}),)})
    item = await item_of(mine(), dns(), NOW, settings=theirs)
    assert item.mail is not None
    assert item.mail.standing_answer == ""


async def test_strangers_cost_no_look_into_dns() -> None:
    asked = dns()
    await made(signed(letter(NOW, From="carol@friends.example"), NOW, domain="friends.example"), asked)
    await made(annas(), asked, auto_submitted="auto-replied")
    assert asked.asked == []


async def test_a_mail_that_was_forwarded_whole_keeps_its_own_files() -> None:
    inner = b"From: Anna <anna@friends.example>\r\nSubject: Bill\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n"
    inner += b"--i\r\n\r\nHere it is.\r\n--i\r\n" + attached("bill.pdf", "application/pdf", b"PDF") + b"--i--\r\n"
    outer = b"--o\r\n\r\nPlease pay.\r\n--o\r\nContent-Type: message/rfc822\r\n\r\n" + inner + b"\r\n"
    outer += b"--o\r\n" + attached("map.png", "image/png", b"PNG") + b"--o--\r\n"
    item = await made(letter(NOW, outer.decode(), From=ME, Content_Type="multipart/mixed; boundary=o"))
    assert item.mail is not None
    assert item.mail.forwarded is not None
    assert [file.name for file in item.mail.forwarded.attachments] == ["bill.pdf"]
    assert {"bill.pdf", "map.png"} <= {file.name for file in item.attachments}


def attached(name: str, media_type: str, data: bytes) -> bytes:
    head = f"Content-Type: {media_type}\r\nContent-Disposition: attachment; filename={name}\r\n\r\n"
    return head.encode() + data + b"\r\n"


# What could not be read


async def test_a_mail_that_is_lost_or_cut_is_told_and_never_answered() -> None:
    items = MailItems(InProcess(), make_context(), SETTINGS, lookup=dns())
    lost = items.lost(PLACE, NOT_GIVEN)
    cut = await items.make(PLACE, mine(), cut=in_own_words(TOO_LARGE, size="99"))
    for item in (lost, cut):
        assert put_aside(item)
        assert item.mail is not None
        assert not item.mail.answerable
        assert Trust.OWNER not in trusts(item)


async def test_a_mail_with_impossible_facts_is_put_aside() -> None:
    item = await made(mine(), sent_at="no date")
    assert put_aside(item) == "the mail could not be read"
