"""Reduces the published Bot API description to what the stand-in checks: `python -m ... FILE`.

Descriptions go; the values that they promise for a discriminating field (`always "emoji"`) stay, as `values`.
Run it on a newer `api.json` to bring the stand-in up to date.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

NOTICE = (
    "Reduced from api.json of github.com/PaulSonOfLars/telegram-bot-api-spec, commit "
    "160fd99507e1c7c77e92dc90f5993d724735b51c, MIT licence: no descriptions; values kept."
)
DISCRIMINATORS = frozenset({"type", "status", "source", "emoji"})
_ONE = re.compile(r'(?:always "(\w+)"|must be \*?(\w+)\*?$)')
_MANY = re.compile(r"\b(?:can be|one of)\b", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"\s]+)"')


def promised_values(field: dict[str, Any]) -> list[str]:
    """The only values the description allows for a discriminating field; empty if it promises none."""
    if field["name"] not in DISCRIMINATORS or field["types"] != ["String"]:
        return []
    text: str = field["description"]
    if single := _ONE.search(text):
        return [single[1] or single[2]]
    return list(dict.fromkeys(_QUOTED.findall(text))) if _MANY.search(text) else []


def reduced_field(field: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {"name": field["name"], "types": field["types"]}
    if field["required"]:
        kept["required"] = True
    if values := promised_values(field):
        kept["values"] = values
    return kept


def reduced_entry(entry: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {key: entry[key] for key in ("returns", "subtypes") if entry.get(key)}
    if entry.get("fields"):
        kept["fields"] = [reduced_field(field) for field in entry["fields"]]
    return kept


def render(description: dict[str, Any]) -> str:
    """JSON with one method or type a line, so that an update reads well as a diff."""
    head = {"notice": NOTICE, "version": description["version"], "release_date": description["release_date"]}
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    for part in ("methods", "types"):
        entries = [
            f"{json.dumps(name)}: {json.dumps(reduced_entry(entry), ensure_ascii=False)}"
            for name, entry in sorted(description[part].items())
        ]
        lines.append(f'"{part}": {{\n' + ",\n".join(entries) + "\n}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    published = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    Path(__file__).with_name("telegram-bot-api.json").write_text(render(published), encoding="utf-8")
