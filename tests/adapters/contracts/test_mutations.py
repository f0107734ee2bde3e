"""Every contract of this project, spoilt in every place that it has: no change of it goes unnoticed."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from butler.adapters.catalogue import load_catalogue
from butler.adapters.check import check
from butler.adapters.code import Code
from butler.adapters.document import document, text_digest
from butler.adapters.files import Files, read_contract, write_json, write_text
from butler.adapters.lock import read_lock, write_lock
from butler.cli.contracts.code import read_code
from tests.support.nightly import all_but_the_first

ADAPTERS = sorted(read_lock(Files()).adapters)


@cache
def whole_code() -> Code:
    return read_code()


@dataclass(frozen=True)
class Frozen:
    """One adapter of this project alone, in a folder of its own."""

    adapter_id: str
    channel: str
    files: Files
    code: Code

    def faults(self) -> list[str]:
        return check(self.files, self.code)

    @property
    def is_used(self) -> bool:
        return self.adapter_id in load_catalogue(self.files).adapters


@pytest.fixture(params=all_but_the_first(ADAPTERS))
def frozen(request: pytest.FixtureRequest, tmp_path: Path) -> Frozen:
    adapter_id, harness, code = request.param, Files(), whole_code()
    coded = code.adapters[adapter_id]
    files = Files(tmp_path / "modules", tmp_path / "config" / "contracts.lock.json")
    folder = files.modules / coded.channel
    shutil.copytree(harness.kept(coded.channel), files.kept(coded.channel))
    shutil.copy(harness.current(coded.channel), folder)
    lock = read_lock(harness)
    lock.adapters = {adapter_id: lock.adapters[adapter_id]}
    lock.methods = {name: digest for name, digest in lock.methods.items() if name in coded.methods}
    lock.retired = {}
    page = document(files, lock)
    write_text(files.document, page)
    lock.document = text_digest(page)
    write_lock(files, lock)
    alone = replace(
        code, adapters={adapter_id: coded}, methods=coded.methods, tools=tuple(code.made_for(adapter_id)), unread={}
    )
    made = Frozen(adapter_id, coded.channel, files, alone)
    assert made.faults() == []
    assert made.is_used
    return made


def spoilt(value: Any) -> Any:
    """A value that is another one, of the same type where that is possible."""
    match value:
        case bool():
            return not value
        case str():
            return f"{value} "
        case int() | float():
            return value + 1
        case None:
            return 0
        case list():
            return [*value, "more"]
        case _:
            return {**value, "more": 1}


def mutations(value: Any) -> Iterator[tuple[str, Any]]:
    """A JSON value, changed in one place: each leaf another one, each key or element away, one more everywhere."""
    yield "changed", spoilt(value)
    if isinstance(value, dict):
        for key, part in value.items():
            yield f"without {key}", {name: one for name, one in value.items() if name != key}
            for told, changed in mutations(part):
                yield f"{key}.{told}", {**value, key: changed}
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield f"without {index}", [*value[:index], *value[index + 1 :]]
            for told, changed in mutations(part):
                yield f"{index}.{told}", [*value[:index], changed, *value[index + 1 :]]
        if len({json.dumps(part, sort_keys=True) for part in value}) > 1:
            yield "turned round", value[::-1]


def unnoticed(frozen: Frozen, path: Path, *, breaks: bool = True) -> list[str]:
    """The mutations of a file after which the adapter is used all the same, or nothing is said."""
    original = json.loads(path.read_text())
    missed: list[str] = []
    for told, changed in mutations(original):
        write_json(path, changed)
        if not frozen.faults() or (breaks and frozen.is_used):
            missed.append(told)
    write_json(path, original)
    assert frozen.faults() == []
    return missed


@pytest.fixture(autouse=True)
def without_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", lambda _file: None)


@pytest.mark.nightly
def test_a_change_anywhere_in_a_contract_is_noticed(frozen):
    assert unnoticed(frozen, frozen.files.current(frozen.channel)) == []


@pytest.mark.nightly
def test_a_change_anywhere_in_a_kept_copy_is_noticed(frozen):
    (path,) = frozen.files.kept(frozen.channel).iterdir()
    assert unnoticed(frozen, path, breaks=False) == []


def test_a_change_anywhere_in_the_lock_is_noticed(frozen):
    assert unnoticed(frozen, frozen.files.lock, breaks=False) == []


def test_a_change_of_what_the_lock_says_of_an_adapter_stops_its_tools(frozen):
    original = json.loads(frozen.files.lock.read_text())
    for told, changed in mutations(original["adapters"][frozen.adapter_id]):
        write_json(frozen.files.lock, {**original, "adapters": {frozen.adapter_id: changed}})
        assert not frozen.is_used, told


def test_another_version_in_the_file_is_noticed(frozen):
    path = frozen.files.current(frozen.channel)
    original = json.loads(path.read_text())
    for version in ("1.0.1", "1.1.0", "2.0.0", "0.9.0", "1", ""):
        write_json(path, {**original, "version": version})
        assert not frozen.is_used
        assert frozen.faults() != []


def test_how_a_contract_is_written_down_is_no_change(frozen):
    path = frozen.files.current(frozen.channel)
    content = json.loads(path.read_text())
    for text in (
        json.dumps(content),
        json.dumps(content, indent=7),
        json.dumps(dict(reversed(content.items())), indent="\t", ensure_ascii=True) + "\n\n",
    ):
        path.write_text(text)
        assert frozen.is_used
        assert frozen.faults() == []


UNREADABLE = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"adapter_id": NaN}', b"[" * 200_000, b"9" * 10_000]


@pytest.mark.parametrize("content", UNREADABLE, ids=lambda content: repr(content[:20]))
def test_a_file_that_is_no_contract_is_noticed(frozen, content):
    path = frozen.files.current(frozen.channel)
    (kept,) = frozen.files.kept(frozen.channel).iterdir()
    for file in (path, kept, frozen.files.lock):
        original = file.read_bytes()
        file.write_bytes(content)
        assert frozen.faults() != []
        if file != kept:
            assert not frozen.is_used
        file.unlink()
        assert frozen.faults() != []
        file.write_bytes(original)
    assert frozen.faults() == []


def nested(levels: int) -> dict[str, Any]:
    """A schema of so many lists in one another."""
    found: dict[str, Any] = {}
    for _ in range(levels):
        found = {"items": found}
    return found


@pytest.mark.parametrize("levels", [70, 300, 900])
def test_a_contract_that_is_nested_deeper_than_can_be_followed_is_noticed(frozen, levels):
    path = frozen.files.current(frozen.channel)
    (kept,) = frozen.files.kept(frozen.channel).iterdir()
    for file in (path, kept):
        original = file.read_bytes()
        content = json.loads(original)
        next(iter(content["operations"].values()))["input"]["deep"] = nested(levels)
        file.write_text(json.dumps(content))
        assert frozen.faults() != []
        if file == path:
            assert not frozen.is_used
            assert "is nested deeper than 64 levels" in "".join(frozen.faults())
        file.write_bytes(original)


def test_a_key_that_stands_twice_is_noticed_though_the_last_one_says_what_was_locked(frozen):
    for path in (frozen.files.current(frozen.channel), frozen.files.lock):
        original = path.read_text()
        key = "version" if path != frozen.files.lock else "document"
        path.write_text(original.replace("{", f'{{"{key}": "9.0.0",', 1))
        assert f"has the key {key} twice" in "".join(frozen.faults())
        assert not frozen.is_used
        path.write_text(original)


def test_a_change_of_any_line_of_the_page_is_noticed(frozen):
    page = frozen.files.document
    lines = page.read_text().splitlines(keepends=True)
    for index in range(len(lines)):
        for changed in ([], [f" {lines[index]}"], [lines[index], lines[index]]):
            page.write_text("".join([*lines[:index], *changed, *lines[index + 1 :]]))
            told = [fault for fault in frozen.faults() if "ADAPTER_CONTRACTS.md" in fault]
            assert len(told) == 1, (index, changed)
    page.unlink()
    assert "ADAPTER_CONTRACTS.md cannot be read" in "".join(frozen.faults())


def test_the_page_and_its_digest_changed_together_are_noticed(frozen):
    text = frozen.files.document.read_text() + "And something else.\n"
    write_text(frozen.files.document, text)
    lock = read_lock(frozen.files)
    lock.document = text_digest(text)
    write_lock(frozen.files, lock)
    assert len(frozen.faults()) == 1


def test_the_file_and_its_kept_copy_changed_together_are_noticed(frozen):
    path = frozen.files.current(frozen.channel)
    (kept,) = frozen.files.kept(frozen.channel).iterdir()
    content = json.loads(path.read_text())
    content["operations"].popitem()
    for file in (path, kept):
        write_json(file, content)
    assert not frozen.is_used
    assert frozen.faults() != []


def test_a_version_that_nobody_locked_is_noticed(frozen):
    (kept,) = frozen.files.kept(frozen.channel).iterdir()
    shutil.copy(kept, kept.with_name("9.0.0.json"))
    assert "9.0.0.json is a version that the lock does not know" in "".join(frozen.faults())


def test_files_lock_and_page_changed_together_are_noticed_by_the_code(frozen):
    """Whoever writes all of the files as `bump` would, still has the code to answer to."""
    path = frozen.files.current(frozen.channel)
    contract = json.loads(path.read_text())
    name, operation = next(iter(contract["operations"].items()))
    operation["description"] = "Something else."
    lock = read_lock(frozen.files)
    (kept,) = frozen.files.kept(frozen.channel).iterdir()
    for file in (path, kept):
        write_json(file, contract)
    changed = lock.adapters[frozen.adapter_id]
    digests = {changed.version: read_contract(path).digest}
    lock.adapters[frozen.adapter_id] = changed.model_copy(update={"digests": digests})
    text = document(frozen.files, lock)
    lock.document = text_digest(text)
    write_text(frozen.files.document, text)
    write_lock(frozen.files, lock)
    (fault,) = frozen.faults()
    assert fault.startswith(f"the code of {frozen.adapter_id} is not what {changed.version} says (")
    assert f"{name} is described anew" in fault
