"""Reasons why something asks, passes, is refused or ends: a code with values, which is stored and compared.

A reason is put into words when it is shown, in the owner's language: `approvals.reason_words`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from butler.contract.speech import say, say_list
from config.errors import ButlerError

_BEGINNING = '[{"code": '
"""The beginning of every text of `reasons_to_text`."""


class ReasonCode(StrEnum):
    """The codes of reasons. The values are stored, so a released code keeps its value."""

    WORDS = "words"
    """`text`: words of the owner's settings, of an error or of a module, or a sentence of a row from before the codes.

    `values`, if the text has braces: a sentence of ours that only a module knows is stored in English with its values.
    """
    ACTS_AS_OWNER = "acts_as_owner"
    READS_PRIVATE = "reads_private"
    TOOL_ALWAYS_ASKS = "tool_always_asks"
    SETTINGS_ASK_FOR_TOOL = "settings_ask_for_tool"
    SETTINGS_ASK_FOR_OUTPUTS = "settings_ask_for_outputs"
    NO_RULE = "no_rule"
    CHANGED_BY_OWNER = "changed_by_owner"
    ASKED_BY_CARD = "asked_by_card"
    ASKED_AGAIN = "asked_again"
    PAUSED = "paused"
    """`command`: the chat command that lifts the pause."""
    PAUSED_AT_MACHINE = "paused_at_machine"
    FORBIDDEN = "forbidden"
    """`tool` and `recipient`: patterns of the settings."""
    LIMIT_OF_RECIPIENTS = "limit_of_recipients"
    """`count`, `limit`, `tool`."""
    LIMIT_PER_DAY = "limit_per_day"
    """`limit`, `tool`."""
    LIMIT_PER_RECIPIENT = "limit_per_recipient"
    """`to`, `limit`, `tool`."""
    STANDING_RULE = "standing_rule"
    """`number`."""
    COMES_FROM = "comes_from"
    """`arguments` and `sources`: lists."""
    NOBODY_CHOSE = "nobody_chose"
    """`arguments`: a list."""
    SET_GOING = "set_going"
    """`sources`: a list."""
    ONLY_READS = "only_reads"
    MODEL_CHOSE = "model_chose"
    MODEL_KNEW = "model_knew"
    """`sources`: a list, which may be empty."""
    ONLY_OWNER_SEES = "only_owner_sees"
    STRANGER = "stranger"
    ONE_STRANGER = "one_stranger"
    STRANGERS = "strangers"
    """`count`."""
    UNKNOWN_AUDIENCE = "unknown_audience"
    TO_KNOWN_PEOPLE = "to_known_people"
    NOT_LATER = "not_later"
    ARGUMENTS_DO_NOT_FIT = "arguments_do_not_fit"
    """`why`: the validation's message."""
    CANNOT_BE_STORED = "cannot_be_stored"
    NO_WORDS = "no_words"
    TIME_OVER = "time_over"
    TIME_PASSED_BEFORE_YES = "time_passed_before_yes"
    MISSED_TIME = "missed_time"
    MISSED_SEND_NOW = "missed_send_now"
    UNCHECKED = "unchecked"
    RULE_EXCEEDED = "rule_exceeded"
    """`count`, `number`, `most`."""
    RULE_NEVER_FOUND = "rule_never_found"
    LOOKS_LIKE_INSTRUCTIONS = "looks_like_instructions"
    """`signs`: a list of the kinds of signs; this and the next codes are findings of the guardrails."""
    HOLDS_PERSONAL = "holds_personal"
    """`kinds`: a list, as for the two below."""
    HOLDS_SECRET = "holds_secret"  # noqa: S105 - a code
    HOLDS_OTHERS = "holds_others"
    LEADS_ELSEWHERE = "leads_elsewhere"
    HARMFUL_COMMANDS = "harmful_commands"
    WORDS_OF_HATE = "words_of_hate"
    PARTLY_WITHHELD = "partly_withheld"
    PARTLY_LOOKED_AT = "partly_looked_at"
    """`count`: the number of characters that were checked."""
    INPUT_UNCHECKED = "input_unchecked"
    ERROR = "error"
    """`error`: the English sentence of its kind, and `detail`; this and the next codes are outcomes of acts."""
    ACTS_PAUSED = "acts_paused"
    ANOTHER_OWNER = "another_owner"
    PAIRED_ANEW = "paired_anew"
    RULE_GONE = "rule_gone"
    RULE_REVOKED = "rule_revoked"
    """`number`."""
    SHOWN_WITH_CHANGED = "shown_with_changed"
    RECIPIENT_FORGOTTEN = "recipient_forgotten"
    """`name`, empty for a contact without one, and `only`: whether they have no other address; also for the three
    below."""
    RECIPIENT_KNOWN_NOW = "recipient_known_now"
    RECIPIENT_ANOTHER = "recipient_another"
    RECIPIENT_RENAMED = "recipient_renamed"
    """`before` too."""
    FILE_GONE = "file_gone"
    """`name`, as for the two below."""
    FILE_DAMAGED = "file_damaged"
    FILE_ANOTHER = "file_another"
    ACCOUNT_GONE = "account_gone"
    """`account`."""
    ACCOUNT_ANOTHER = "account_another"
    """`account` and `shown`, which is empty if there was no other at that time."""
    UNANSWERED = "unanswered"
    DOWN_AFTER_YES = "down_after_yes"
    DOWN_IN_BETWEEN = "down_in_between"
    FINDING_OUT = "finding_out"
    NOT_FOUND_OUT = "not_found_out"
    NOT_FOUND_OUT_BECAUSE = "not_found_out_because"
    """`reasons`, as stored; also for codes below that need other reasons to be complete."""
    CANNOT_BE_FOUND_OUT = "cannot_be_found_out"
    REFUSES_DOUBLES = "refuses_doubles"
    CANNOT_TELL = "cannot_tell"
    INTERRUPTED_LOST = "interrupted_lost"
    INTERRUPTED_HELD = "interrupted_held"
    MAY_BE_DONE_ELSEWHERE = "may_be_done_elsewhere"
    EARLIER_TRY_MAY_BE_DONE = "earlier_try_may_be_done"
    ANSWER_MADE_NO_SENSE = "answer_made_no_sense"
    GIVEN_UP = "given_up"
    FOREIGN_TAP = "foreign_tap"
    """`who`."""
    RESTORED_LOOK_FIRST = "restored_look_first"
    RESTORED_CUT_OFF = "restored_cut_off"
    MESSAGE_DELETED = "message_deleted"
    MESSAGE_EDITED = "message_edited"
    REQUEST_CANCELLED = "request_cancelled"
    REPLACED = "replaced"
    NOTHING_LEFT = "nothing_left"
    NEXT_TIME_CAME = "next_time_came"
    WITHDRAWN_AT_MACHINE = "withdrawn_at_machine"
    NOT_BEGUN = "not_begun"
    BEGUN = "begun"
    BEGUN_WITH = "begun_with"
    """`count`."""
    RULE_KEPT = "rule_kept"
    """`number` and `days`: its recurrence."""
    EARLIER_STEP_FAILED = "earlier_step_failed"
    BY_RULE = "by_rule"
    """`number` and `days`; this and the next codes are about bulk runs."""
    DUE_BEFORE = "due_before"
    """`at`: ISO, in the zone of its rule."""
    RULE_NOT_SET_UP = "rule_not_set_up"
    RUN_NOT_SET_UP = "run_not_set_up"
    RUN_PAUSED = "run_paused"
    RUN_WITHOUT_ANSWER = "run_without_answer"
    RUN_UNFORESEEN = "run_unforeseen"
    """`reasons`."""
    RUN_IN_LINE = "run_in_line"
    THING_GONE = "thing_gone"
    THING_NOT_DONE = "thing_not_done"
    FAULT = "fault"
    """`kind`: the class of a foreign error, whose text may hold what people wrote."""
    HOOK_NOT_SET_UP = "hook_not_set_up"
    MAIL_GONE = "mail_gone"
    """This and the next codes say why a message of the butler's is not delivered as it was written."""
    NO_MAILBOX = "no_mailbox"
    MERGED_INTO = "merged_into"
    """`message`: the id of the other message."""
    DECIDED_NOTHING = "decided_nothing"
    """This and the next codes say why a mail is no answer to a card."""
    ANSWER_UNPROVED = "answer_unproved"
    ANSWER_UNCLEAR = "answer_unclear"
    ANSWER_FORWARDED = "answer_forwarded"
    ANSWER_OF_OTHER_ADDRESS = "answer_of_other_address"
    ANSWER_TO_OLD_CARD = "answer_to_old_card"
    UNKNOWN_CODE = "unknown_code"
    LAST_UNKNOWN_CODE = "last_unknown_code"
    TOO_MANY_CODES = "too_many_codes"
    CARD_TAKES_NONE = "card_takes_none"
    """`approval`: the id of an approval that waits for something else, or has ended."""
    TEXT_SAYS_DAY = "text_says_day"
    """`date`: ISO; this and the next codes are about a text that was read, on which a step depends."""
    TEXT_HAS_DAYS = "text_has_days"
    """`dates`: a list."""
    TEXT_TOO_LONG = "text_too_long"
    """`field`, and `most`: the limit in characters."""
    NOT_OF_PERSON = "not_of_person"
    """`reasons`: what shows that no person sent a mail; the rest of a sentence that begins with the mail."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason: its code and values, as JSON."""

    code: ReasonCode
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])


def reason(code: ReasonCode, /, **params: Any) -> Reason:
    """Return a reason with its values."""
    return Reason(code, params)


def because(code: ReasonCode, /, *why: Reason) -> Reason:
    """Return a reason that holds other reasons."""
    return Reason(code, {"reasons": dump_reasons(why)})


def in_own_words(text: str, /, **values: str | list[str]) -> Reason:
    """Return the reason for a text without a code: foreign words, or a module's sentence with the values in its braces.

    The sentence is English, and marked by `phrase`. A list is told as `A, B and C`, in the owner's language.
    """
    return Reason(ReasonCode.WORDS, {"text": text, "values": values} if values else {"text": text})


def own_words(one: Reason) -> str:
    """Put a reason made by `in_own_words` into words, in the owner's language if the catalogues have its text."""
    values: Mapping[str, str | list[str]] = one.params.get("values", {})
    told = {name: value if isinstance(value, str) else say_list(value) for name, value in values.items()}
    return say(one.params["text"], **told)


def of_error(error: ButlerError) -> Reason:
    """Return the reason for an error, with the message for its owner."""
    return Reason(ReasonCode.ERROR, {"error": error.sentence(), "detail": error.detail})


def of_exception(error: Exception) -> Reason:
    """Return the reason to store for any error: for a foreign one only its kind."""
    return of_error(error) if isinstance(error, ButlerError) else reason(ReasonCode.FAULT, kind=type(error).__name__)


def dump_reasons(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    """Return reasons as they are stored."""
    return [{"code": one.code.value, "params": dict(one.params)} for one in reasons]


def load_reasons(stored: Iterable[Any]) -> tuple[Reason, ...]:
    """Load stored reasons; a sentence of a row from before the codes, alone or in a list, is kept as it is."""
    if isinstance(stored, str):
        return reasons_of_text(stored)
    return tuple(
        in_own_words(one) if isinstance(one, str) else Reason(ReasonCode(one["code"]), one["params"]) for one in stored
    )


def reasons_to_text(reasons: Iterable[Reason]) -> str:
    """Return reasons as the text of a column; empty without reasons."""
    stored = dump_reasons(reasons)
    return json.dumps(stored) if stored else ""


def reasons_of_text(text: str) -> tuple[Reason, ...]:
    """Parse the reasons of such a column; keep any other text, as in a row from before the codes."""
    if not text:
        return ()
    if not text.startswith(_BEGINNING):
        return (in_own_words(text),)
    try:
        return load_reasons(json.loads(text))
    except (ValueError, TypeError, KeyError):
        return (in_own_words(text),)
