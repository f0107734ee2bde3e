"""The owner's answer to a card by mail: an authenticated mail whose first own line is `yes CODE` or `no CODE`.

The answer decides as a tap does. Any other mail decides nothing and is recorded; only the owner learns why.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

import sqlalchemy as sa

from approvals.context import Context
from approvals.decide import decide_one
from approvals.email_fallback import code_hash
from approvals.states import Verb
from approvals.visible import visible_address
from butler.contract.card import OwnerMessage, plain
from butler.contract.inbound import Inbound
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.contract.speech import say
from butler.store.queries import approvals, audit, buttons, cursors, email_fallbacks, inbox, outbox, work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind, ButtonRow
from butler.store.queries.inbox import InboxNote, InboxState

MOST_WRONG = 5
"""The most wrong codes per day from one address."""
_LONGEST_LINE = 200
_WORDS = {
    "yes": "yes",
    "ja": "yes",
    "oui": "yes",
    "sí": "yes",
    "si": "yes",
    "no": "no",
    "nein": "no",
    "non": "no",
}
"""The words of an answer in the languages that the butler speaks, and the answer that each stands for."""
_MARKS = r"[\s\"'“”‘’„*_()\u200b\ufeff]*"
"""What a mail program or a thumb may put around an answer; a bar, a dash and other quotation marks are excluded."""
_ANSWER = re.compile(
    rf"{_MARKS}(?P<word>{'|'.join(_WORDS)})[^\w?]+(?P<first>[a-z0-9]{{4}})[^\w?]*(?P<last>[a-z0-9]{{4}}){_MARKS}[.!,]*{_MARKS}",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"[^\w>|]*(?:"
    r"but|only|except|unless|if|provided|no|not|never|do not|don['’]t|wait|stop|however|instead|"
    r"aber|nur|außer|ausser|wenn|falls|sofern|nein|nicht|kein|keine|nie|niemals|warte|stopp|halt|jedoch|doch|sondern|"
    r"mais|seulement|uniquement|sauf|si|à condition|non|pas|ne|n['’]|jamais|attends?|arrête|cependant|plutôt|"
    r"pero|solo|sólo|solamente|únicamente|excepto|salvo|siempre que|nunca|jamás|espera|para|detente|sino"
    r")(?:\b|(?<=['’]))",
    re.IGNORECASE,
)
"""How a line begins that qualifies the yes above it."""
_DEPENDS = re.compile(
    r"\b(?:"
    r"but|only|except|unless|provided|assuming|as long as|instead|don['’]t|do not|"
    r"aber|nur|erst|außer|ausser|wenn|falls|sofern|solange|allerdings|jedoch|sondern|vorausgesetzt|bedingung|"
    r"bloß|nicht|stattdessen|statt|"
    r"mais|seulement|uniquement|sauf|condition|pourvu que|tant que|plutôt|"
    r"pero|solo|sólo|solamente|únicamente|excepto|salvo|siempre que|siempre y cuando|con tal de|condición|sino"
    r")\b",
    re.IGNORECASE,
)
"""Words that qualify it anywhere in that line, as in `please only to Anna`; a mistake at worst means asking again."""


@dataclass(frozen=True, slots=True)
class MailAnswer:
    """An answer: the word, and the code in capitals without its dash."""

    word: str
    code: str


def answer_in(text: str) -> MailAnswer | None:
    """Return the answer in a mail's first non-empty line; None where that line is anything else, such as a quote.

    Words below that line are not read, except for a line above any quoted text that takes the answer back: `yes, but`
    is no yes.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line, below = next(iter(lines), ""), list(takewhile(lambda one: not _is_quoted(one), lines[1:]))
    match = _ANSWER.fullmatch(line) if len(line) <= _LONGEST_LINE else None
    # A letter that merely resembles one of these, such as a long s, forms no word.
    word = _WORDS.get(match["word"].lower()) if match else None
    if match is None or word is None:
        return None
    if word == "yes":
        undone = any(_TAKES_BACK.match(one) or _DEPENDS.search(one[:_LONGEST_LINE]) for one in below)
    else:
        undone = any(_ANSWER.fullmatch(one[:_LONGEST_LINE]) for one in below)
    if undone:
        return None
    return MailAnswer(word, (match["first"] + match["last"]).upper())


def _said(item: Inbound) -> MailAnswer | None:
    """Return a mail's answer if its words are certainly the sender's, and no other words of theirs take it back."""
    if item.mail is None:
        return answer_in(item.text)
    answer = answer_in(item.mail.command)
    return answer if answer is not None and answer == answer_in(item.mail.words) else None


def _is_quoted(line: str) -> bool:
    """Return whether a line is a mail program's mark of quoted text, not the owner's own words."""
    return line.startswith((">", "|", "--"))


class EmailFallbackAnswers:
    """Handles mails that may be answers."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def take(self, item: Inbound) -> bool:
        """Act on a mail and settle it if it is the owner's answer to such a card; otherwise only return False."""
        taken = await self._context.store.write(lambda c: self._take(c, item), "fallback.answer")
        self._context.wake()
        return taken

    def _take(self, connection: sa.Connection, item: Inbound) -> bool:
        address = item.sender.removeprefix("mail:")
        if _is_automatic(item) or address not in self._context.owner.emails:
            return False
        answer = _said(item)
        fallback = email_fallbacks.by_message_id(connection, item.reply_to) if item.reply_to else None
        if answer is None and fallback is None:
            return False
        now = self._context.clock.now()
        authority = item.payload.get("authority", {})
        if authority.get("command") is not True:
            # Anybody can write such a mail: it is shown like any other mail, and counts for nothing.
            unproved = Reason(ReasonCode.ANSWER_UNPROVED)
            self._note(connection, item, fallback.approval_id if fallback else "", unproved, now)
            return False
        if self._wrong(connection, address, now) >= MOST_WRONG:
            self._note(connection, item, "", Reason(ReasonCode.TOO_MANY_CODES), now)
            inbox.settle(connection, item.inbound_id, InboxState.IGNORED, now=now, detail=InboxNote.TOO_MANY_CODES)
        elif answer is None or authority.get("sealed_by"):
            code = ReasonCode.ANSWER_UNCLEAR if answer is None else ReasonCode.ANSWER_FORWARDED
            self._refuse(connection, item, fallback.approval_id if fallback else "", Reason(code), now)
        else:
            self._answer(connection, item, answer, now)
        return True

    def _answer(self, connection: sa.Connection, item: Inbound, said: MailAnswer, now: datetime) -> None:
        button = buttons.get(connection, code_hash(said.word, said.code))
        if button is None or button.kind != ButtonKind.MAIL or button.owner != self._context.owner_id():
            self._guessed(connection, item, now)
            return
        row = approvals.get(connection, button.subject)
        if button.chat != item.sender:
            self._refuse(connection, item, button.subject, Reason(ReasonCode.ANSWER_OF_OTHER_ADDRESS), now)
        elif row is None or row.revision != button.revision:
            self._refuse(connection, item, button.subject, Reason(ReasonCode.ANSWER_TO_OLD_CARD), now)
        else:
            self._decide(connection, item, button, row, now)

    def _decide(
        self, connection: sa.Connection, item: Inbound, button: ButtonRow, row: ApprovalRow, now: datetime
    ) -> None:
        verb = Verb(button.verb)
        if not decide_one(self._context, connection, row, verb, item.sender, now):
            why = reason(ReasonCode.CARD_TAKES_NONE, approval=row.approval_id)
            self._refuse(connection, item, row.approval_id, why, now)
            return
        buttons.use(connection, button.nonce_sha256, now)
        email_fallbacks.answer(connection, row.approval_id, row.revision, item.inbound_id, now)
        data = {"verb": verb.value, "revision": row.revision, "inbound": item.inbound_id}
        audit.append(connection, "fallback.answered", row.approval_id, item.sender, data, now)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

    def _guessed(self, connection: sa.Connection, item: Inbound, now: datetime) -> None:
        address = item.sender.removeprefix("mail:")
        count = self._wrong(connection, address, now) + 1
        cursors.put_fact(connection, f"wrong_codes:{address}", {"day": self._day(now), "count": count}, now)
        left = MOST_WRONG - count
        code = ReasonCode.UNKNOWN_CODE if left else ReasonCode.LAST_UNKNOWN_CODE
        self._refuse(connection, item, "", Reason(code), now)
        if not left and (home := self._context.channel.home()) is not None:
            text = say(
                "{count} wrong codes came by mail from {address}. I take no more of it today.",
                count=MOST_WRONG,
                address=visible_address(address),
            )
            key = f"wrong-codes:{address}:{self._day(now)}"
            outbox.add(connection, home, OwnerMessage(text=plain(text)), now=now, dedup_key=key)

    def _refuse(self, connection: sa.Connection, item: Inbound, subject: str, why: Reason, now: datetime) -> None:
        """Decide nothing, and tell the owner why, once for each of their mails."""
        self._note(connection, item, subject, why, now)
        detail = (Reason(ReasonCode.DECIDED_NOTHING), why)
        inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail=detail)
        work.add(connection, email_fallbacks.TELL_REFUSAL, item.inbound_id, now=now)

    def _note(self, connection: sa.Connection, item: Inbound, subject: str, why: Reason, now: datetime) -> None:
        data = {"why": why.code.value, "inbound": item.inbound_id}
        audit.append(connection, "fallback.refused", subject, item.sender, data, now)

    def _wrong(self, connection: sa.Connection, address: str, now: datetime) -> int:
        counted: dict[str, Any] | None = cursors.fact(connection, f"wrong_codes:{address}")
        return counted["count"] if counted is not None and counted["day"] == self._day(now) else 0

    def _day(self, now: datetime) -> str:
        return now.astimezone(self._context.zone).date().isoformat()


def _is_automatic(item: Inbound) -> bool:
    """Return whether a mail was written by a machine or the butler itself, or could not be read."""
    data = item.payload
    if data.get("auto_submitted", "") not in {"", "no"} or data.get("precedence") in {"bulk", "junk", "list"}:
        return True
    return any(data.get(name) for name in ("list_id", "own", "quarantine"))
