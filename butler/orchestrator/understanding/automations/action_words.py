"""Provides what automations do, in any of the languages: reports, cards, acts on mails; see `action_words.toml`."""

import re
from functools import partial

from butler.orchestrator.understanding.act_words import A_LIST
from butler.orchestrator.understanding.trigger_words import group as trigger
from butler.understanding.stored_words import group_in, patterns_in, whole_in

FILE = ("butler.orchestrator.understanding.automations", "action_words")
group, patterns, whole = partial(group_in, *FILE), partial(patterns_in, *FILE), partial(whole_in, *FILE)

TELL = re.compile(rf"(?:{group('before_tell')} )*{group('tell')}", re.IGNORECASE)
"""Words for a report to the owner and nothing else, without its way."""
HOW = re.compile(
    rf"(?<!\w){group('by_way')} (?:{group('my_way')} )?{group('way')}|(?<!\w){group('please')}(?!\w)", re.IGNORECASE
)
URGENT = re.compile(rf"(?<!\w){group('urgent')}(?!\w)", re.IGNORECASE)
"""Words for an urgent report, which also comes in quiet hours."""
REMIND = re.compile(rf"(?:{group('before_remind')} )?{group('remind')}(?: {group('behind_remind')})?\s*", re.IGNORECASE)
AND = re.compile(rf"\s*,?\s+{group('and')}(?: {group('then')})?\s+", re.IGNORECASE)
CARD = re.compile(
    rf"{group('make')}?\s*{group('a')}?\s*(?:trello )?{group('card')}(?: {trigger('in_trello')} trello)?"
    rf" {group('into')} (?:{group('article')} )?(?:trello[- ])?(?:{A_LIST}(?: {group('of_trello')} trello)? )?"
    rf"(.+?)(?: {group('behind_list')})?(?: {group('made')}| {trigger('in_trello')} trello)*",
    re.IGNORECASE,
)
ON_MAIL = re.compile(rf"\b{group('on_mail')}", re.IGNORECASE)
"""Words for acts that apply only to mails."""
ACTS = (
    ("mark_read", group("mark_read"), group("mark_read_words")),
    ("archive", group("archive"), group("archive")),
    ("trash", group("trash"), f"{group('trash_words')}|{group('trash')}"),
)
"""Repeatable acts on many mails, with the words that identify them and all words of such a request."""
OLDER = re.compile(rf"(?:{group('that_are')} )?{group('older')}\s+(.+)", re.IGNORECASE)
MAILS = whole("mails")
