"""Whatever is shown to the owner: nothing in it can be tapped that nobody meant, and nothing in it hides."""

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from butler.contract.card import Button, Card, OwnerMessage, Rich, Span, Style, plain
from butler.contract.tools import Attachment, ToolCall
from modules.telegram.lanes import Lanes
from modules.telegram.tool_args import SendMessageArgs
from tests.modules.telegram.conftest import OWNER, Harness
from tests.support.tapping import tappable_in

HOME = f"telegram:{OWNER}"
BAITS = (
    "https://evil.example/pay", "http://1.2.3.4/x", "evil.com", "EVIL.EXAMPLE:8080/x?y", "пример.рф",
    "xn--e1a.xn--p1ai",
    "t.me/evilbot?start=resume", "tg://resolve?domain=evilbot", "@evilbot", "(@evilbot)", "/resume", "/pause@butlerbot",
    "[/resume]", "«/resume»", "#now", "$BTC", "eve@evil.example", "mailto:eve@evil.example", "+44 20 7946 0018",
    "+442079460018", "tel:+442079460018", "x@evil.example/../y", "see:/resume", "evil\u3002example", "!evil.com!",
    "javascript:alert(1)", "www.evil.example", "https://evil.example/" + "a" * 300,
)  # fmt: skip
HIDDEN = (
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200d",
    "\u2060",
    "\U000e0041",
    "\u2028",
    "\ufe0f",
    "\u00ad",
    "\u061c",
    "\u180e",
)
STYLES = tuple(style for style in Style if style is not Style.LINK)


@pytest.fixture(autouse=True)
def without_waiting_between_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    """How often a message may be edited is for `test_lanes`."""
    monkeypatch.setattr(Lanes.__init__, "__defaults__", (0.0,))


def texts() -> list[str]:
    """Each bait alone, in the middle of words, and very many of them."""
    alone = [f"Your bill: {bait}, now." for bait in BAITS]
    return [*alone, *BAITS, " ".join(BAITS), " ".join(BAITS * 40), "a" * 4090 + "/resume", "x/" * 4000 + "resume"]


def card(text: str) -> Card:
    return Card(
        approval_id="a-1",
        revision=1,
        title=text[:200],
        fields=(("To", plain(text[:500])),),
        body=text,
        changes=plain(text[:200]),
        attachments=(Attachment(name=text[:60], size=3, sha256="0" * 64),),
        reasons=(text[:300],),
        effect=text[:300],
        expires_at=datetime.now(UTC) + timedelta(hours=1),
        outcome=plain(text[:100]),
        buttons=((Button(label=text[:60], data="n-1"),),),
    )


def check(messages: list[dict[str, Any]]) -> None:
    assert messages
    for message in messages:
        assert tappable_in(message) == [], message
        held = str(message.get("text") or message.get("caption") or "") + str(message.get("reply_markup"))
        assert not any(character in held for character in HIDDEN if character != "\ufe0f"), message


@pytest.mark.parametrize("style", STYLES)
async def test_nothing_in_a_message_can_be_tapped_whatever_its_style(harness: Harness, style: Style) -> None:
    for text in texts():
        await harness.bot.channel.say(HOME, OwnerMessage(text=(Span(text="I read: "), Span(text=text, style=style))))
    check(harness.sent())


async def test_nothing_in_a_card_can_be_tapped(harness: Harness) -> None:
    for text in BAITS:
        one = card(f"Pay at {text} and {HIDDEN[0]}more")
        one = one.model_copy(update={"attachments": ()})
        ref = await harness.bot.channel.show(HOME, one)
        await harness.bot.channel.edit(ref, one)
    check(harness.sent())


async def test_a_word_over_several_spans_or_cut_in_two_is_found_as_well(harness: Harness) -> None:
    dice = random.Random(7)
    for _ in range(20):
        text = " ".join(dice.choice(BAITS) for _ in range(dice.randint(1, 6)))
        cuts = sorted(dice.sample(range(len(text)), min(len(text), dice.randint(1, 8))))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        rich: Rich = tuple(Span(text=piece, style=dice.choice(STYLES)) for piece in pieces)
        ref = await harness.bot.channel.say(HOME, OwnerMessage(text=(Span(text="a" * dice.choice((0, 4080))), *rich)))
        await harness.bot.channel.redraw(ref, OwnerMessage(text=rich))
    check(harness.sent())


async def test_what_hides_is_shown(harness: Harness) -> None:
    text = "".join(f"a{character}b" for character in HIDDEN)
    await harness.bot.channel.say(HOME, OwnerMessage(text=plain(text), buttons=((Button(label=text, data="n"),),)))
    await harness.bot.channel.show(HOME, card(text).model_copy(update={"attachments": ()}))
    check(harness.sent())
    assert "a[U+202E]ba[U+2066]b" in harness.sent()[0]["text"]


async def test_emoji_and_letters_that_join_stay_as_they_are(harness: Harness) -> None:
    text = "⚠️ 👩‍🚀 ❤️ 1️⃣ می‌خواهم and/or 24/7, 10.5 %, 2026-11-29 14:30, 29.11.2026, e.g. z.B. 12,500"
    await harness.bot.channel.say(HOME, OwnerMessage(text=plain(text)))
    (message,) = harness.sent()
    assert (message["text"], message.get("entities", [])) == (text, [])


async def test_the_butlers_own_commands_and_links_may_be_tapped_and_nothing_beside_them(harness: Harness) -> None:
    link = Span(text="the page", style=Style.LINK, url="https://docs.example/")
    await harness.bot.channel.say(
        HOME, OwnerMessage(text=(Span(text="See /help or ", live=True), link, *plain(", not /resume")))
    )
    (message,) = harness.sent()
    assert [(one["type"], one["offset"]) for one in message["entities"]] == [
        ("bot_command", 4), ("text_link", 13), ("code", 27),
    ]  # fmt: skip


async def test_a_command_of_its_own_that_others_words_go_on_is_none(harness: Harness) -> None:
    await harness.bot.channel.say(HOME, OwnerMessage(text=(Span(text="See /help", live=True), *plain("@evilbot"))))
    check(harness.sent())


async def test_what_the_tools_say_to_the_owner_goes_the_same_way(harness: Harness) -> None:
    tools = {spec.tool_name: spec for spec in harness.bot.tools.outputs()}
    args = SendMessageArgs.model_validate({"to": {"address": HOME}, "text": f"{' '.join(BAITS)} {''.join(HIDDEN)}"})
    await tools["bot_telegram_send_message"].handler(ToolCall("bot_telegram_send_message", args, "c-1", "t-1"))
    check(harness.sent())
