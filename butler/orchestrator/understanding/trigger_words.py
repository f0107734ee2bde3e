"""Provides what triggers of automations say, in any of the languages; see `trigger_words.toml`."""

import re
from functools import partial

from butler.orchestrator.understanding.act_words import A_LIST
from butler.understanding.stored_words import group_in, patterns_in, stored

FILE = ("butler.orchestrator.understanding", "trigger_words")
plain, group, patterns = partial(stored, *FILE), partial(group_in, *FILE), partial(patterns_in, *FILE)


def _words(kind: str) -> re.Pattern[str]:
    """Return a pattern for the whole words or phrases of a kind."""
    return re.compile(rf"(?<!\w){group(kind)}(?!\w)", re.IGNORECASE)


WHEN_END = _words("when")
"""Conjunctions before a trigger; the last one belongs to the automation's name."""
NEVER, LATE, UNTIL = _words("never"), _words("late"), _words("until")
QUOTED = re.compile(r"[\"“”„«]\s*([^\"“”„«»]+?)\s*[\"“”»]|(?<!\w)['‘‚]([^'‘’‚]+)['’](?!\w)")
NIGHT = _words("night")
AFTER = re.compile(
    rf"(?<!\w){group('after')} ((?:{group('article_of_hour')} )?[\w:]+(?: ?{group('hour')}(?!\w))*)(?!\w)",
    re.IGNORECASE,
)
RUN, FAILS, FIRES, RESOLVED = map(_words, ("run", "fails", "fires", "resolved"))
ALERT = re.compile(
    rf"(?<!\w)(?:{group('alert')}|(?:{group('article_of_server')} )?{group('server')})(?!\w)", re.IGNORECASE
)
NAMED_ALERT, CRITICAL, THERE_IS = _words("alert"), _words("critical"), _words("there_is")
"""An alert by that name, not by a server; a severe one; and words that say only that one is there."""
OF_ALARM = re.compile(rf"(?<!\w)(\w{{3,}}?)s?{group('alarm')}(?!\w)", re.IGNORECASE)
"""What an alarm is about, in a German compound."""
BEFORE_ABOUT = _words("about")
CARD, CARD_MOVES, CARD_MADE = _words("card"), _words("card_moves"), _words("card_made")
IN_LIST = re.compile(
    rf"(?<!\w){group('into')} (?:{group('article')} )?(?:{A_LIST} )?([^\s|,].*?)(?: {group('behind_list')})?"
    rf"(?=\s*(?:\||$|,| {group('on_board')} ))",
    re.IGNORECASE,
)
BOARD = re.compile(
    rf"(?<!\w){group('before_board')} (?:{group('article_of_board')} )?"
    rf"(?:{group('board')} {group('of_board')}?([^|,]+?)|([^|,]+?)[ -]?{group('behind_board')})(?=\s*(?:\||$|,))",
    re.IGNORECASE,
)
FILE_WORD, FILE_PLACE = _words("file"), _words("file_place")
EVENT, BEGINS, CANCELS, MOVES = map(_words, ("event", "begins", "cancels", "moves"))
INVITE, MAIL, CHAT, NEWS = map(_words, ("invite", "mail", "chat", "news"))
WITH_FILE, IN_SUBJECT, IN_TEXT = _words("with_file"), _words("in_subject"), _words("in_text")
SUBJECT = re.compile(rf"(?<!\w){group('subject')}[ :]+([^|]+)", re.IGNORECASE)
HOLDS = re.compile(rf"(?<!\w){group('holds')}(?: (?:{group('held')}|{group('article_held')}))? ?([^|]+)", re.IGNORECASE)
ABOUT = re.compile(rf"(?<!\w){group('about')} (?:{group('word')} )?([^|]+)", re.IGNORECASE)
FROM = re.compile(
    rf"(?<!\w)(?:(?:{group('that')} )?(?:{group('comes_from')} )?(?:{group('from')}|{group('of')}))"
    r"(?:\s+|(?<=['\s]))([^|]+)",
    re.IGNORECASE,
)
GROUPS = tuple(re.compile(rf"(?<!\w){one}", re.IGNORECASE) for one in plain("groups"))
"""Patterns for a chat by its title."""
UNTITLED, NO_TITLE = _words("untitled"), _words("no_title")
WAY, BY = rf"(?:e-?)?{group('way')}", rf"{group('by')} "
EITHER = re.compile(
    rf"(?<!\w)(?:{group('either')} )?{BY}{WAY}\s*,?\s*{group('or_and')}\s+(?:{BY})?{WAY}(?!\w)", re.IGNORECASE
)
"""Words for `by mail or as a message`."""
COMES, SENDS, WRITES, MAILS = map(_words, ("comes", "sends", "writes", "mails"))
ANYTHING, SOMEBODY, STRANGER, SMALL = map(_words, ("anything", "somebody", "stranger", "small"))
OR = re.compile(rf"\s*(?:,|/|\b{group('or_and')}\b)\s*", re.IGNORECASE)
POSSESSIVE = _words("possessive")
DOMAIN = re.compile(r"@?((?:[\w-]+\.)+[a-z]{2,})", re.IGNORECASE)
EVENTS = (MAIL, SUBJECT, CHAT, WRITES, SENDS, COMES, CARD, ALERT, EVENT, NEWS)
"""Words for events, as opposed to times."""
