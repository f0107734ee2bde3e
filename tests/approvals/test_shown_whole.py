"""What a person sees on Telegram is what is stored: complete, for any Unicode, nothing hidden, within the limits."""

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
import regex
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from approvals.card import build
from approvals.frozen import freeze
from approvals.outcome_text import BY_POLICY
from approvals.people import Names
from approvals.policy import Decision
from approvals.states import State
from approvals.visible import visible, visible_address, visible_line
from butler.contract.card import Card
from butler.contract.reasons import ReasonCode, in_own_words, reason
from butler.contract.tools import Attachment
from butler.store.queries.approvals import ApprovalRow
from modules.telegram.drawing import BUTTON_BYTES, Drawing, check_buttons, draw_card
from modules.telegram.text import ENTITY_LIMIT, MESSAGE_LIMIT, utf16_len
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import ANNA, ARCHIVE, MAIL, SEND, SendArgs
from tests.approvals.test_visible import HIDDEN, unmark

NASTY = st.sampled_from(
    [
        *HIDDEN,
        *"\r\n\t \u00a0\u2003❤👩🏽👨1#\u20e3بיक्",
        "\u200d",
        "👨‍👩‍👧",
        "می‌خواهم",
        "\r\n",
        "https://a.example@b.example",
        "x" * 400,
    ]
)
TEXT = st.lists(NASTY | st.characters(exclude_categories=["Cs"]), max_size=60).map("".join)
LINE = st.builds(lambda text, times: text[:120] * times, TEXT, st.sampled_from([1, 1, 1, 8]))
LONG = st.builds(lambda text, times: (text * times)[:20_000], TEXT, st.sampled_from([1, 1, 40, 1000]))
BLANKS = st.builds(lambda before, blank, after: before + blank * 9_000 + after, LINE, st.sampled_from(" \n\t"), LINE)
NAMES = st.lists(TEXT.map(lambda text: text[:60]).filter(bool), max_size=12)
UNASSIGNED = regex.compile(r"\p{Cn}")
MARK = "[U+"

thorough = settings(max_examples=30, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None)


@pytest.fixture
async def names(harness: Harness) -> Names:
    return await harness.store.read(Names)


def row_of(harness: Harness, args: SendArgs, **more: object) -> ApprovalRow:
    """Build a stored, pending call."""
    frozen = freeze(harness.invoker.spec(MAIL), args)
    row = ApprovalRow(
        approval_id="a1",
        revision=1,
        state=State.PENDING.value,
        tool=MAIL,
        identity="user",
        account="me@home.example",
        args=frozen.args,
        args_sha256=frozen.args_sha256,
        labels={},
        reasons=(reason(ReasonCode.ACTS_AS_OWNER),),
        chat=OWNER,
        requested_by="in-1",
        plan_id=None,
        step_id=None,
        call_id="c1",
        contract_digest=frozen.contract_digest,
        created_at=NOON,
        expires_at=NOON + timedelta(hours=48),
    )
    return replace(row, **more)  # pyright: ignore[reportArgumentType] - columns of a row


def drawn(harness: Harness, names: Names, row: ApprovalRow) -> tuple[Card, Drawing]:
    card = build(harness.context, row, names, (), NOON)
    return card, draw_card(card, harness.context.zone)


def read(drawing: Drawing) -> str:
    """Return all that a person can read of it: the pages in order, then the file."""
    return "".join(page.text for page in drawing.pages) + (drawing.file.text if drawing.file else "")


def hidden_in(text: str) -> list[str]:
    """Return characters that show nothing, except line ends, and joiners after something that they join."""
    found: list[str] = []
    for place, character in enumerate(text):
        # Unassigned in one of the two tables: phones may draw what the newer one knows.
        shows_nothing = unicodedata.category(character) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
        shows_nothing |= UNASSIGNED.match(character) is not None
        if not shows_nothing and character not in HIDDEN:
            continue
        joins = character in "\u200c\u200d\ufe0f" and place > 0 and ord(text[place - 1]) > 0x22
        if not (character in "\n\t" or joins or text[place : place + 2] == "\r\n"):
            found.append(f"{ord(character):04X}")
    return found


def check_limits(drawing: Drawing) -> None:
    for page in drawing.pages:
        assert 1 <= utf16_len(page.text) <= MESSAGE_LIMIT
        assert page.text.strip()
        assert len(page.entities) <= ENTITY_LIMIT
        assert all(e.offset + e.length <= utf16_len(page.text) for e in page.entities)


def check_shown(drawing: Drawing, shown: str, stored: str) -> None:
    """Check that a text is shown completely, and equals the stored one without its marks."""
    assert shown in read(drawing)
    if MARK not in stored:
        assert unmark(shown) == stored
        assert stored in unmark(read(drawing))


@thorough
@given(text=LONG | BLANKS, subject=LINE, to=NAMES, files=NAMES)
def test_text_subject_recipients_and_file_names_are_shown_as_they_are_stored(
    harness: Harness, names: Names, text: str, subject: str, to: Sequence[str], files: Sequence[str]
) -> None:
    attachments = tuple(Attachment(name=name, size=7, sha256="ab" * 32) for name in files)
    args = SendArgs(to=tuple(f"mail:{name}" for name in to), text=text, subject=subject, files=attachments)
    _, drawing = drawn(harness, names, row_of(harness, args))
    check_limits(drawing)
    check_shown(drawing, visible(text), text)
    check_shown(drawing, visible_line(subject), subject)
    for name in to:
        check_shown(drawing, visible_address(name), name)
    for name in files:
        check_shown(drawing, visible_line(name), name)
    assert not hidden_in(read(drawing))


@settings(max_examples=5, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None)
@given(text=TEXT.filter(bool), times=st.sampled_from([3_000, 30_000]))
def test_a_huge_text_comes_as_a_file_that_holds_it_whole(harness: Harness, names: Names, text: str, times: int) -> None:
    huge = (text * times)[:40_000]
    _, drawing = drawn(harness, names, row_of(harness, SendArgs(to=(ANNA,), text=huge)))
    check_limits(drawing)
    assert len(drawing.pages) <= 3 or "Links: " in read(drawing)
    check_shown(drawing, visible(huge), huge)
    assert not hidden_in(read(drawing))


ENDS = {
    State.APPROVED: {"execute_at": NOON + timedelta(seconds=10)},
    State.EXECUTING: {"execute_at": NOON},
    State.DONE: {"finished_at": NOON, "result": {"data": {}}},
    State.FAILED: {"finished_at": NOON, "result": {"error": {}}},
    State.UNKNOWN: {"finished_at": NOON},
    State.DENIED: {"finished_at": NOON},
    State.EXPIRED: {"finished_at": NOON},
    State.SUPERSEDED: {"finished_at": NOON},
    State.CANCELLED: {"finished_at": NOON},
}


def test_every_state_has_its_outcome_page() -> None:
    assert set(ENDS) == set(State) - {State.PENDING}


@pytest.mark.parametrize("state", [State.PENDING, *ENDS])
@settings(max_examples=5, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None)
@given(text=LONG, detail=TEXT.map(lambda text: text[:300]), by=st.sampled_from([OWNER, BY_POLICY]))
def test_the_outcome_stands_on_the_last_page_and_the_others_stay_as_they_were(
    harness: Harness, names: Names, state: State, text: str, detail: str, by: str
) -> None:
    ends = {"decided_at": NOON, "decided_by": by, **ENDS[state]} if state in ENDS else {}
    waiting = row_of(harness, SendArgs(to=(ANNA,), text=text), detail=(), decided_by=by if ends else None)
    _, before = drawn(harness, names, waiting)
    card, after = drawn(harness, names, replace(waiting, state=state.value, detail=(in_own_words(detail),), **ends))
    check_limits(after)
    assert (len(after.pages), after.pages[:-1], after.file) == (len(before.pages), before.pages[:-1], before.file)
    check_shown(after, visible(text), text)
    assert not hidden_in(read(after)), card.outcome


@pytest.mark.parametrize("surrogate", ["\ud800"])
@pytest.mark.parametrize("argument", ["text", "subject", "to", "files"])
async def test_half_of_a_surrogate_pair_is_refused_before_anything_is_stored(
    harness: Harness, surrogate: str, argument: str
) -> None:
    args = {"to": [ANNA], "text": "x", "subject": "y", "files": []}
    files = [{"name": surrogate, "size": 1, "sha256": "ab"}]
    args[argument] = {"to": [f"mail:{surrogate}"], "files": files}.get(argument, f"a{surrogate}b")
    verdict = await harness.request(MAIL, args=args)
    assert (verdict.decision, verdict.approval_id) == (Decision.DENY, None)
    with pytest.raises(ValueError, match="surrogates"):
        freeze(harness.invoker.spec(MAIL), SendArgs.model_construct(to=(ANNA,), text=surrogate, subject="", files=()))


@pytest.mark.parametrize("tool", [SEND, MAIL, ARCHIVE])
async def test_every_button_of_a_cards_life_fits_into_callback_data(harness: Harness, tool: str) -> None:
    harness.provider.script = [RuntimeError()]
    await harness.ask(tool)
    seen = [harness.channel.newest]
    await harness.tap("Approve")
    seen.append(harness.channel.newest)
    await harness.after_undo_window()
    seen.append(harness.channel.newest)
    buttons = [button for card in seen for line in card.buttons for button in line]
    assert {"Approve", "Deny", "Undo", "It was done"} <= {button.label for button in buttons}
    assert all(1 <= len(button.data.encode()) <= BUTTON_BYTES for button in buttons)
    for card in seen:
        check_buttons(card.buttons)
