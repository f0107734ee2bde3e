"""The rules of a `robots.txt` as in RFC 9309: groups by agent, `*` and `$` in paths, the longest rule decides.

The standard library's parser knows no `*` and takes the first matching rule, and so reads what most sites exclude.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

_MOST_RULES = 5_000
_LEFT_AS_IT_IS = "%/*$?=&;:@!+,~'()[]-._#"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: whether paths like this may be read."""

    path: str
    allows: bool

    def fits(self, path: str) -> bool:
        """Return whether this rule matches a path with its query, in time that does not grow with the number of `*`."""
        first, *others = self.path.removesuffix("$").split("*")
        if not path.startswith(first):
            return False
        at = len(first)
        ends = self.path.endswith("$")
        if not others:
            return not ends or at == len(path)
        last = others.pop() if ends else ""
        for part in others:
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return path[at:].endswith(last)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for one agent."""

    rules: tuple[Rule, ...] = ()
    delay_s: float = 0.0

    def may_read(self, path: str) -> bool:
        """Return whether a path may be read, by the longest matching rule; of two equally long, the one that allows."""
        about = [rule for rule in self.rules if rule.fits(path)]
        return max(about, key=lambda rule: (len(rule.path), rule.allows)).allows if about else True


def rules_for(agent: str, text: str) -> Rules:
    """Return the merged groups that name the agent, else those for all agents."""
    groups = list(_groups(text))
    for wanted in (agent.lower(), "*"):
        own = [lines for agents, lines in groups if wanted in agents]
        if own:
            lines = [line for group in own for line in group]
            rules = [
                Rule(quote(value, safe=_LEFT_AS_IT_IS), name == "allow")
                for name, value in lines
                if _is_rule(name, value)
            ]
            return Rules(
                tuple(rules[:_MOST_RULES]), max((_seconds(v) for n, v in lines if n == "crawl-delay"), default=0.0)
            )
    return Rules()


def _groups(text: str) -> Iterator[tuple[set[str], Sequence[tuple[str, str]]]]:
    agents: set[str] = set()
    lines: list[tuple[str, str]] = []
    for name, value in _lines(text):
        if name == "user-agent":
            if lines:
                yield agents, lines
                agents, lines = set(), []
            agents.add(value.split("/")[0].strip().lower())
        elif agents:
            lines.append((name, value))
    yield agents, lines


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        name, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield name.strip().lower(), value.strip()


def _is_rule(name: str, value: str) -> bool:
    return name in {"allow", "disallow"} and bool(value)


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if 0 <= seconds < float("inf") else 0.0
