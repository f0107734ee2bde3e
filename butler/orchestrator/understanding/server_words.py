"""Words for signals, logs and dashboards of servers, in any of the languages.

They are in `server_signals.toml` and `server_words.toml`.
"""

import re

from butler.contract.tables import table
from butler.understanding.stored_words import group_in

PACKAGE = "butler.orchestrator.understanding"
WORDS = (PACKAGE, "server_words")


def _any(kind: str, name: str = "server_words") -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){group_in(PACKAGE, name, kind)}(?!\w)", re.IGNORECASE)


SIGNALS = tuple((_any(signal, "server_signals"), signal) for signal in table(PACKAGE, "server_signals"))
"""Words for signals; names in the settings take precedence."""
DASHBOARDS, WHICH = _any("dashboards"), _any("which")
PANEL = re.compile(
    rf"(?:{group_in(*WORDS, 'panel_the')} )?(?P<panel>\w+(?: \w+)?)[ -]panel {group_in(*WORDS, 'panel_of')} "
    rf"(?:{group_in(*WORDS, 'board_the')} )?(?P<board>[\w -]+?)(?: dashboard)?"
    rf"(?: {group_in(*WORDS, 'board_says')}\b.*)?\s*$",
    re.IGNORECASE,
)
SMALL, SERVER, NOW = _any("small"), _any("server"), _any("now")
ERRORS = _any("errors")
"""Words for trouble in general, which are not searched in logs."""
WENT_WRONG = _any("went_wrong")
AN_HOUR = re.compile(rf"{group_in(*WORDS, 'since')} {group_in(*WORDS, 'an_hour')}$", re.IGNORECASE)
"""Words for the length of an hour, not for one o'clock."""
OF_LOGS = _any("of_logs")
"""Words for logs alone; all other questions about a server are answered from its metrics, too."""
LOGGED = ((_any("backup"), "backup"),)
"""Usual names of log queries."""
