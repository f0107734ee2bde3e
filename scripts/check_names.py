"""Static check of names (seed 4): no tool is named, planned, called, prompted or documented but by its own name.

Covers code, tests, prompts, docs and config. A line that has to show a wrong name says so: `names: wrong on purpose`;
a test or a bench that makes up tools of its own says so too: `names: made up here`.
Run as `python -m scripts.check_names`; prints one line a finding and exits 1 when there is any.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butler.contract.errors import ToolNameError
from butler.contract.names import ToolName

ROOT = Path(__file__).resolve().parent.parent
TEXT = {".py", ".md", ".toml", ".txt", ".yml", ".yaml", ".sh", ".html", ".js", ".json"}
DATA = ("requirements", "telegram-bot-api.json", "tests/data/")
EXCUSE = "names: wrong on purpose"
MADE_UP = "names: made up here"
TOOL_KEYWORDS = {"tool", "tool_call", "tool_name"}
KEYWORD = re.compile(rf"\b(?:{'|'.join(sorted(TOOL_KEYWORDS))})\s*=")
VERBS = "send|get|search|read|reply|check|list|draft|forward|archive|delete|create"
CHANNELS = "telegram|email|gmail|calendar|trello|notes|reminders"
LEGACY = re.compile(rf"(?<![\w.])(?:{CHANNELS})_(?:{VERBS})(?:_[a-z]+)*(?![\w.])")
PROMPT = re.compile(r"prompts/tool_(\w+)\.md$")


@dataclass(frozen=True, slots=True)
class Finding:
    """A wrong name, where it stands, and what is wrong with it."""

    path: str
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}"


def check_text(path: str, text: str, registered: set[str], channels: set[str]) -> Iterator[Finding]:
    """Names in any text: prefixed names have to be registered, unprefixed ones may not stand at all."""
    prefixed = re.compile(rf"(?<![\w.])(?:user|bot)_(?:{'|'.join(sorted(channels))})_[a-z0-9_]*[a-z0-9](?![\w*])")
    made_up = MADE_UP in text and (_is_test(path) or path.startswith("bench/"))
    for number, line in enumerate(text.splitlines(), 1):
        if EXCUSE in line:
            continue
        for match in prefixed.finditer(line):
            if match[0] not in registered and not made_up:
                yield Finding(path, number, f"{match[0]} is no registered tool")
        for match in LEGACY.finditer(line):
            yield Finding(path, number, f"{match[0]} has no identity: name it user_… or bot_…")


def check_python(path: str, text: str, registered: set[str]) -> Iterator[Finding]:
    """Tool names at call sites and in plan steps; tests may make up tools, but not names that break the rule."""
    if not KEYWORD.search(text):
        return
    excused = {n for n, line in enumerate(text.splitlines(), 1) if EXCUSE in line}
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.keyword) or node.arg not in TOOL_KEYWORDS or node.value.lineno in excused:
            continue
        if not isinstance(node.value, ast.Constant) or not isinstance(node.value.value, str):
            continue
        name = node.value.value
        if not name or "/" in name or "*" in name:
            continue
        try:
            ToolName.parse(name)
        except ToolNameError:
            yield Finding(path, node.value.lineno, f"{name!r} breaks the naming rule")
            continue
        if name not in registered and not _is_test(path):
            yield Finding(path, node.value.lineno, f"{name} is no registered tool")


def check_prompts(paths: list[str], registered: set[str]) -> Iterator[Finding]:
    """Every tool has its prompt file, and every prompt file its tool."""
    found: set[str] = set()
    for path in paths:
        if match := PROMPT.search(path):
            found.add(match[1])
            if match[1] not in registered:
                yield Finding(path, 1, f"{match[1]} is no registered tool")
    for name in sorted(registered - found):
        yield Finding(f"modules/{ToolName.parse(name).channel}/prompts", 1, f"tool_{name}.md is missing")


def check_config(path: str, text: str, sections: dict[str, set[str]]) -> Iterator[Finding]:
    """`[modules.<channel>.<identity>]` with the keys that the module knows."""
    try:
        raw: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        yield Finding(path, 1, f"is not TOML: {error}")
        return
    for channel, identities in raw.get("modules", {}).items():
        if channel not in {name.split(".")[0] for name in sections}:
            yield Finding(path, 1, f"[modules.{channel}] is no module")
            continue
        for identity, values in identities.items():
            known = sections.get(f"{channel}.{identity}")
            if known is None:
                yield Finding(path, 1, f"[modules.{channel}.{identity}] is no identity of it")
                continue
            for key in sorted(set(values) - known):
                yield Finding(path, 1, f"[modules.{channel}.{identity}] has no setting {key}")


def _is_test(path: str) -> bool:
    """Return whether a file is a test or a bench, which may have tools of its own."""
    return path.startswith(("tests/", "bench/")) or "/tests/" in path


def tracked() -> list[str]:
    """Every file of the project that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()  # noqa: S603
    return [name for name in dict.fromkeys(names) if (ROOT / name).is_file()]


def check_all() -> list[Finding]:
    """Everything, over the whole project."""
    from butler.cli.config import setting_sections  # noqa: PLC0415 - the tests of this file need less
    from butler.offline import offline_registry  # noqa: PLC0415 - the same

    registry, classes = offline_registry()
    registered = {spec.tool_name for spec in registry.specs()}
    paths = tracked()
    findings = list(check_prompts(paths, registered))
    for path in paths:
        if Path(path).suffix not in TEXT or any(part in path for part in DATA):
            continue
        text = (ROOT / path).read_text(encoding="utf-8", errors="replace")
        findings += check_text(path, text, registered, set(classes))
        if path.endswith(".py"):
            findings += check_python(path, text, registered)
        if path.endswith(".toml") and "[modules." in text:
            findings += check_config(path, text, setting_sections(classes))
    return findings


def main() -> int:
    """Print what was found; 1 when there is any."""
    findings = check_all()
    for finding in findings:
        print(finding)  # noqa: T201 - this is a command
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
