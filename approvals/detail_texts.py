"""The texts about the outcome of an act: why it waits, was held back, was given up or has ended."""

from collections.abc import Mapping

from butler.contract.bulk import NOT_SET_UP
from butler.contract.reasons import ReasonCode
from butler.contract.speech import phrase

DETAILS: Mapping[ReasonCode, str] = {
    ReasonCode.ACTS_PAUSED: phrase("you paused what acts as you"),
    ReasonCode.ANOTHER_OWNER: phrase("Butler has been paired anew since your yes"),
    ReasonCode.PAIRED_ANEW: phrase("Butler was paired anew"),
    ReasonCode.RULE_GONE: phrase("the standing rule that let it pass no longer does"),
    ReasonCode.RULE_REVOKED: phrase("rule {number}, which had let it pass, was revoked"),
    ReasonCode.SHOWN_WITH_CHANGED: phrase("the people or files that it was shown with have changed"),
    ReasonCode.FILE_GONE: phrase("the file {name} is gone"),
    ReasonCode.FILE_DAMAGED: phrase("the file {name} was damaged"),
    ReasonCode.FILE_ANOTHER: phrase("the file {name} is not the one that was shown"),
    ReasonCode.ACCOUNT_GONE: phrase("the account {account} is gone"),
    ReasonCode.UNANSWERED: phrase("nobody answered in time"),
    ReasonCode.DOWN_AFTER_YES: phrase("Butler was down for too long after your yes"),
    ReasonCode.DOWN_IN_BETWEEN: phrase("Butler was down for too long in between"),
    ReasonCode.FINDING_OUT: phrase("finding out what became of it"),
    ReasonCode.NOT_FOUND_OUT: phrase("It could not be found out"),
    ReasonCode.NOT_FOUND_OUT_BECAUSE: phrase("It could not be found out: {why}"),
    ReasonCode.CANNOT_BE_FOUND_OUT: phrase("It cannot be found out: {why}."),
    ReasonCode.REFUSES_DOUBLES: phrase("The provider refuses doubles, so it is done again with the same token."),
    ReasonCode.CANNOT_TELL: phrase("The provider cannot tell whether it was done."),
    ReasonCode.INTERRUPTED_LOST: phrase("Butler was interrupted, and can no longer find out: {why}"),
    ReasonCode.INTERRUPTED_HELD: phrase("Butler was interrupted, and does not try again: {why}"),
    ReasonCode.MAY_BE_DONE_ELSEWHERE: phrase("Another Butler had begun this, and may still have done it: {why}"),
    ReasonCode.EARLIER_TRY_MAY_BE_DONE: phrase("An earlier try may have been done; the last was not: {why}"),
    ReasonCode.ANSWER_MADE_NO_SENSE: phrase("The provider accepted it, but its answer made no sense: {why}"),
    ReasonCode.GIVEN_UP: phrase("Given up after a day of tries: {why}"),
    ReasonCode.FOREIGN_TAP: phrase("Somebody else ({who}) tapped a button that is yours alone. Nothing was done."),
    ReasonCode.RESTORED_LOOK_FIRST: phrase(
        "Butler was restored from a backup since. Look whether this was done already before you approve it."
    ),
    ReasonCode.RESTORED_CUT_OFF: phrase("Butler was restored from a backup that was taken before this had ended."),
    ReasonCode.MESSAGE_DELETED: phrase("you had the message deleted"),
    ReasonCode.MESSAGE_EDITED: phrase("you edited the message that asked for it"),
    ReasonCode.REQUEST_CANCELLED: phrase("you cancelled the request"),
    ReasonCode.REPLACED: phrase("you asked for something else in its place"),
    ReasonCode.NOTHING_LEFT: phrase("nothing of it was left by what you said"),
    ReasonCode.NEXT_TIME_CAME: phrase("it was due once more"),
    ReasonCode.WITHDRAWN_AT_MACHINE: phrase("withdrawn on the command line"),
    ReasonCode.NOT_BEGUN: phrase("It had not begun."),
    ReasonCode.BEGUN: phrase("It has begun."),
    ReasonCode.EARLIER_STEP_FAILED: phrase("an earlier step did not work"),
    ReasonCode.RULE_NOT_SET_UP: phrase("What it needs is no longer set up."),
    ReasonCode.RUN_NOT_SET_UP: NOT_SET_UP,
    ReasonCode.RUN_PAUSED: phrase("What acts as you is paused; /resume, and then Resume."),
    ReasonCode.RUN_WITHOUT_ANSWER: phrase(
        "There is no answer, so it is not known what of the last batch was done. Resume tries it again."
    ),
    ReasonCode.RUN_UNFORESEEN: phrase("Something went wrong that I did not foresee ({why}). Resume tries it again."),
    ReasonCode.RUN_IN_LINE: phrase("It waits until the one before it has ended."),
    ReasonCode.THING_GONE: phrase("it is no longer there"),
    ReasonCode.THING_NOT_DONE: phrase("the provider took it and did not do it"),
    ReasonCode.FAULT: "{kind}",
    ReasonCode.HOOK_NOT_SET_UP: phrase("its webhook is not set up any more"),
    ReasonCode.MAIL_GONE: phrase("the mail is gone"),
    ReasonCode.NO_MAILBOX: phrase("there is no mailbox to answer from"),
    ReasonCode.MERGED_INTO: phrase("it was sent as a part of another message"),
    ReasonCode.DECIDED_NOTHING: phrase("Nothing was decided by your mail."),
    ReasonCode.ANSWER_UNPROVED: phrase("It is not proved that you wrote the mail."),
    ReasonCode.ANSWER_UNCLEAR: phrase(
        "Your first line has to be yes or no with the code, and nothing else. If it should be done otherwise, answer "
        "no and ask me anew, or change it on Telegram."
    ),
    ReasonCode.ANSWER_FORWARDED: phrase(
        "A forwarder vouches for your mail, which is enough to ask by, and not for a yes; answer without a detour."
    ),
    ReasonCode.ANSWER_OF_OTHER_ADDRESS: phrase(
        "This code went to another address of yours, and counts only from there."
    ),
    ReasonCode.ANSWER_TO_OLD_CARD: phrase(
        "A newer version has replaced that card; its code came, or comes, with a mail of its own."
    ),
    ReasonCode.UNKNOWN_CODE: phrase("I do not know this code."),
    ReasonCode.LAST_UNKNOWN_CODE: phrase(
        "I do not know this code. It was the last try for today: by mail I take no answer more."
    ),
    ReasonCode.TOO_MANY_CODES: phrase("Too many wrong codes came today."),
    ReasonCode.CARD_TAKES_NONE: phrase("The card takes no answer by mail."),
}
RECIPIENTS: Mapping[ReasonCode, tuple[str, str]] = {
    ReasonCode.RECIPIENT_FORGOTTEN: (
        phrase("the recipient is no longer in your contacts as {name}"),
        phrase("a recipient is no longer in your contacts as {name}"),
    ),
    ReasonCode.RECIPIENT_KNOWN_NOW: (
        phrase("the recipient is in your contacts by now, as {name}"),
        phrase("a recipient is in your contacts by now, as {name}"),
    ),
    ReasonCode.RECIPIENT_ANOTHER: (
        phrase("the recipient is another {name} now"),
        phrase("a recipient is another {name} now"),
    ),
    ReasonCode.RECIPIENT_RENAMED: (
        phrase("the recipient is now in your contacts as {name}, not as {before}"),
        phrase("a recipient is now in your contacts as {name}, not as {before}"),
    ),
}
"""Texts for the only recipient, and for one of several."""
