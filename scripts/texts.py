"""Bring the catalogues of what Butler says up to date with the code, or check that they are (`--check`).

Texts are those that `say`, `say_many` and `phrase` are called with, those in the `texts.toml` of a package, the
sentences of the kinds of `ButlerError`, what the intents ask for, and the descriptions of the shipped experts. A new
one is added to each catalogue without a translation; one that the code no longer has is dropped.
"""

import argparse
import ast
import string
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from butler.languages.catalogues import path_of
from butler.orchestrator.experts.building import build_experts
from butler.understanding.tables import intents

ROOT = Path(__file__).parent.parent
ROOMS = ("approvals", "butler", "modules")
KEYWORDS = {"say": (0,), "phrase": (0,), "say_many": (1, 2)}
"""Where the texts stand among the arguments."""
TABLES = "texts.toml"
LANGUAGES = ("de", "fr", "es")
ERRORS = "ButlerError"
"""The root of the error tree, which stands below the rooms."""
ROOT_OF_ERRORS = ROOT / "config" / "errors.py"
WIDTH = 120
UNWANTED = (
    '"POT-Creation-Date',
    '"PO-Revision-Date',
    '"Last-Translator',
    '"Language-Team',
    '"Report-Msgid',
    '"Project',
)
"""Lines of a header that change with the day, or name nobody."""


def spoken_files() -> Iterator[Path]:
    """Every file of the product that may say something to its owner; the command line speaks English."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            inside = path.relative_to(ROOT).parts
            if "tests" not in inside and inside[:2] != ("butler", "cli"):
                yield path


def texts_of_the_code() -> Catalog:
    """The English texts, in the order of their files."""
    found = Catalog(charset="utf-8")
    for path in spoken_files():
        for text in said_in(ast.parse(path.read_text(encoding="utf-8"))):
            found.add(text)
    for sentence in (*texts_of_tables(), *sentences_of_errors(), *questions_of_intents(), *descriptions_of_experts()):
        found.add(sentence)
    return found


def questions_of_intents() -> Iterator[str]:
    """What the intents' tables ask for."""
    for intent in intents().values():
        yield from intent.ask.values()


def descriptions_of_experts() -> Iterator[str]:
    """What the shipped experts say of themselves."""
    for expert in build_experts().all:
        yield expert.description


def texts_of_tables() -> Iterator[str]:
    """The texts that stand in tables beside the code: each is a string, or several in a list."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob(TABLES)):
            for section in tomllib.loads(path.read_text(encoding="utf-8")).values():
                for value in section.values():
                    yield from [value] if isinstance(value, str) else value


def said_in(tree: ast.Module) -> Iterator[str | tuple[str, str]]:
    """The literals that a file says, within f-strings too; one and several of what is counted go together."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYWORDS:
            literals = [_text(node.args[at]) for at in KEYWORDS[node.func.id]]
            match literals:
                case [str(one)]:
                    yield one
                case [str(one), str(several)]:
                    yield one, several
                case _:
                    pass  # a name, which `phrase` has marked where it was written


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def sentences_of_errors() -> Iterator[str]:
    """What each kind of error says: the first line of its docstring."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT_OF_ERRORS, *spoken_files()))
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    known: set[str] = {ERRORS}
    while more := {one.name for one in classes if one.name not in known and known & set(map(ast.unparse, one.bases))}:
        known |= more
    for one in classes:
        if one.name in known and (said := ast.get_docstring(one)):
            yield said.splitlines()[0]


def catalogue(language: str) -> Catalog:
    """What a language has now."""
    with path_of(language).open("rb") as file:
        return read_po(file, locale=language)


def update(language: str, code: Catalog) -> None:
    """Add what is new, drop what is gone, keep what is translated."""
    renewed = catalogue(language)
    renewed.update(code, no_fuzzy_matching=True, update_header_comment=False)
    path = path_of(language)
    with path.open("wb") as file:
        write_po(file, renewed, width=WIDTH, no_location=True, sort_output=True, ignore_obsolete=True)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(UNWANTED)), encoding="utf-8")


def problems(language: str, code: Catalog) -> Iterator[str]:
    """What is missing in a language, is too much, or has other values than the English text."""
    has = {_key(message): message for message in catalogue(language) if message.id}
    wanted = {_key(message): message for message in code if message.id}
    yield from (f"{language}: gone from the code: {text!r}" for text in has.keys() - wanted.keys())
    for text, message in wanted.items():
        translated = has.get(text)
        said = _forms(translated) if translated else ()
        if not said or not all(said):
            yield f"{language}: not translated: {text!r}"
            continue
        expected = {field for form in _english(message) for field in _fields(form)}
        for form in said:
            if not _fields(form) <= expected or not expected - {"count"} <= _fields(form):
                yield f"{language}: other values in braces than {text!r} has: {form!r}"


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _english(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def _forms(message: Message) -> tuple[str, ...]:
    return (message.string,) if isinstance(message.string, str) else tuple(message.string or ())


def _fields(text: str) -> set[str]:
    return {field for _literal, field, _spec, _conversion in string.Formatter().parse(text) if field is not None}


def main() -> int:
    """Update all catalogues, or check them; 1 where something is to be done."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; say what is to be done")
    code = texts_of_the_code()
    if not parser.parse_args().check:
        for language in LANGUAGES:
            update(language, code)
        return 0
    found = [problem for language in LANGUAGES for problem in problems(language, code)]
    sys.stdout.writelines(f"{problem}\n" for problem in found)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
