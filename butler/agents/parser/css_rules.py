"""Rules of a page's style sheets, as a browser with a window of usual size takes them.

Which nodes a selector means is for the engine that parsed the page.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_LONGEST_SHEET = 400_000
"""Characters."""
_LONGEST_STYLE = 4_000
_MOST_RULES = 400
_MOST_STEPS, _LONGEST_SELECTOR, _DEEPEST = 8, 300, 4
_WINDOW: Mapping[str, float] = {"width": 1280, "height": 800}
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'")
_IN_STRING = re.compile(r"[{};,()]")
_BOUNDARY = re.compile(r"[{};]")
_STEP = re.compile(r"[>+~]|(?<=[^\s>+~,(])\s+(?=[^\s>+~,)])")
_HARD = re.compile(r":has\(", re.IGNORECASE)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|([^\n]))")
_ALWAYS = ("@layer", "@supports", "@scope", "@starting-style")
"""Around rules that hold all the same; what else has a block of its own holds for nobody here, or is no rule."""
_CONDITION = re.compile(r"\(\s*(?:(min|max)-)?(width|height)\s*:\s*([\d.]+)(px|em|rem)\s*\)")
_COUNTED = (
    re.compile(r"#[\w-]"),
    re.compile(r"\.[\w-]|\[|(?<!:):(?!(?:is|not|has|where|before|after)\b)[\w-]"),
    re.compile(r"(?:(?<=^)|(?<=[\s>+~,(]))[a-zA-Z]"),
)
"""Ids, classes and their like, and tags of a selector."""
_WHERE = re.compile(r":where\([^()]*\)", re.IGNORECASE)
_VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
_TELLING = re.compile(
    r"display|visibility|opacity|font|width|height|indent|position|clip|transform|scale|color|background|margin|filter"
)

Rank = tuple[bool, int, int, int, int, int]
"""Importance, whether it stands in the tag itself, ids, classes, tags, order: what ranks highest holds."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A selector and what it declares: `(name, value, whether it is important)`."""

    selector: str
    declared: tuple[tuple[str, str, bool], ...]
    weight: tuple[int, int, int]


@dataclass(slots=True)
class Cascade:
    """What holds for one node, of all that is declared for it."""

    _held: dict[str, tuple[Rank, str]] = field(default_factory=dict[str, tuple[Rank, str]])

    def take(self, rule: Rule, order: int) -> None:
        """Add what a rule declares."""
        for name, value, important in rule.declared:
            self._put(name, value, (important, 0, *rule.weight, order))

    def own(self, declarations: str) -> None:
        """Add what stands in the tag itself."""
        for order, (name, value, important) in enumerate(declared(declarations)):
            self._put(name, value, (important, 1, 0, 0, 0, order))

    def _put(self, name: str, value: str, rank: Rank) -> None:
        if name not in self._held or rank >= self._held[name][0]:
            self._held[name] = rank, value

    def style(self) -> dict[str, str]:
        """Properties and their values, in lower case; of each only what is said last."""
        ranked = sorted(self._held.items(), key=lambda one: one[1][0])
        return {name: value for name, (_, value) in ranked}


def rules_of(sheets: list[str]) -> list[Rule]:
    """The rules that may hide something, with values in place of the names that stand for them."""
    rules: list[Rule] = []
    values: dict[str, str] = {}
    for sheet in sheets:
        plain = _STRING.sub(_without_marks, _COMMENT.sub(" ", sheet[:_LONGEST_SHEET]))
        for selector, declarations in _blocks(plain, "", 0):
            said = declared(declarations)
            values.update((name, value) for name, value, _ in said if name.startswith("--"))
            if not _TELLING.search(declarations.lower()) and "\\" not in declarations:
                continue
            for one in _split(selector):
                if len(rules) < _MOST_RULES and _is_followed(one):
                    rules.append(Rule(one, said, _weight(one)))
    return [Rule(one.selector, tuple(_filled(said, values) for said in one.declared), one.weight) for one in rules]


def declared(declarations: str) -> tuple[tuple[str, str, bool], ...]:
    """The declarations of a style, names and values in lower case."""
    found: list[tuple[str, str, bool]] = []
    for declaration in _ESCAPE.sub(_unescaped, declarations[:_LONGEST_STYLE]).lower().split(";"):
        name, colon, value = declaration.partition(":")
        value, mark, _ = value.partition("!")
        if colon:
            found.append((name.strip(), value.strip(), bool(mark)))
    return tuple(found)


def _blocks(text: str, outer: str, depth: int) -> Iterator[tuple[str, str]]:
    """Selector and declarations of each block that holds, also of those within others."""
    at, own = 0, ""
    while (mark := _BOUNDARY.search(text, at)) is not None:
        head = text[at : mark.start()].strip()
        at = mark.end()
        if mark[0] == ";":
            own += f"{head};" if not head.startswith("@") else ""
        elif mark[0] == "{":
            end = _end(text, at)
            inner, at = text[at:end], end + 1
            if depth < _DEEPEST and (held := _held(head, outer)) is not None:
                yield from _blocks(inner, held, depth + 1)
    own += text[at:].strip()
    if outer and own.strip():
        yield outer, own


def _end(text: str, at: int) -> int:
    """Where the block that begins there ends; an end that is missing is the end of all."""
    depth = 1
    for mark in _BOUNDARY.finditer(text, at):
        depth += {"{": 1, "}": -1, ";": 0}[mark[0]]
        if not depth:
            return mark.start()
    return len(text)


def _held(head: str, outer: str) -> str | None:
    """The selector of what stands in a block; None where it does not hold."""
    lowered = head.lower()
    if not head.startswith("@"):
        inner = head.replace("&", f":is({outer})") if "&" in head else f":is({outer}) :is({head})" if outer else head
        return inner.strip()
    if lowered.startswith("@media"):
        return outer if any(_is_met(one) for one in lowered.removeprefix("@media").split(",")) else None
    return outer if lowered.startswith(_ALWAYS) else None


def _is_met(query: str) -> bool:
    """Whether a condition holds for a window of usual size, on a screen."""
    rest = query.strip()
    for limit, side, number, unit in _CONDITION.findall(rest):
        size = float(number) * (1 if unit == "px" else 16)
        if (limit == "min" and _WINDOW[side] < size) or (limit == "max" and _WINDOW[side] > size):
            return False
    words = [one for one in _CONDITION.sub(" ", rest).split() if one not in {"and", "only", "all", "screen"}]
    return not words


def _split(selectors: str) -> Iterator[str]:
    """Selectors between commas that stand in no brackets."""
    depth = start = 0
    for at, char in enumerate(selectors):
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            yield selectors[start:at].strip()
            start = at + 1
    yield selectors[start:].strip()


def _is_followed(selector: str) -> bool:
    return (
        bool(selector)
        and len(selector) <= _LONGEST_SELECTOR
        and len(_STEP.findall(selector)) < _MOST_STEPS
        and len(_HARD.findall(selector)) <= 1
    )


def _weight(selector: str) -> tuple[int, int, int]:
    """About as the standard weighs it: of `:is()` and its like all is counted, of `:where()` nothing."""
    plain = _WHERE.sub("", selector)
    ids, classes, tags = (len(one.findall(plain)) for one in _COUNTED)
    return ids, classes, tags


def _filled(said: tuple[str, str, bool], values: Mapping[str, str]) -> tuple[str, str, bool]:
    name, value, important = said
    if "var(" in value:
        value = _VAR.sub(lambda one: values.get(one[1], one[2] or "").strip(), value)
    return name, value, important


def _without_marks(text: re.Match[str]) -> str:
    """A string in which nothing looks like the end of a block."""
    return _IN_STRING.sub(lambda mark: f"\\{ord(mark[0]):x} ", text[0])


def _unescaped(escape: re.Match[str]) -> str:
    number = int(escape[1], 16) if escape[1] else 0
    return chr(number) if 0 < number < 0x110000 and not 0xD800 <= number < 0xE000 else escape[2] or "\ufffd"  # noqa: PLR2004
