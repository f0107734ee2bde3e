"""`butler new-module`: writes a working module that passes all checks for modules, as a template.

It uses an imaginary service of things on shelves, whose server is included for the tests.
"""

import json
import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from butler.agents.prompting import Prompts
from butler.contract.errors import Refuse
from butler.contract.names import Identity

NAME = re.compile(r"^[a-z][a-z0-9]{1,15}$")
_TEMPLATES = Path(__file__).parent / "templates"
_SETTINGS = Path("config/example.toml")
_INSTALLED = Path("config/experts/manifest.json")
_BEFORE = "\n[approvals]\n"
_TAKEN = frozenset({*Identity, "bulk", "tool"})


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What to generate: the module's name, and its parts beside tools."""

    name: str
    adapter: bool = False
    bulk: bool = False

    @property
    def title(self) -> str:
        """Return the name in the form for classes."""
        return self.name.capitalize()

    @property
    def identities(self) -> tuple[Identity, ...]:
        """Return the identities of the module's accounts: an adapter is a system that only the butler signs in to."""
        return (Identity.BOT,) if self.adapter else (Identity.BOT, Identity.USER)

    @property
    def tools(self) -> Mapping[str, tuple[Identity, str]]:
        """Return the module's tools by name: the identity of each, and what it does."""
        each = product(self.identities, ("find_things", "add_thing", "move_thing"))
        many = ((Identity.BOT, "move_things"),) if self.bulk else ()
        return {f"{identity}_{self.name}_{action}": (identity, action) for identity, action in (*each, *many)}


def new_module(root: Path, scaffold: Scaffold) -> str:
    """Write the module and its tests into a checkout of Butler; return the written files, and the next steps.

    Raises `Refuse` for an invalid name, or one that exists.
    """
    _check(root, scaffold.name)
    files = {root / path: text for path, text in _files(scaffold)}
    if taken := next((path for path in files if path.exists()), None):
        raise Refuse(f"{taken.relative_to(root)} is there already; name the module otherwise, or move the file away")
    written = [_write(path, text) for path, text in files.items()]
    _add_settings(root / _SETTINGS, scaffold)
    _add_tools(root / _INSTALLED, scaffold)
    listed = "\n".join(f"  {path.relative_to(root)}" for path in written)
    beside = f"its section in {_SETTINGS}, and its tools in {_INSTALLED}"
    return f"Made the module {scaffold.name}:\n{listed}\n{beside}.\n\n{_next(scaffold)}"


def _check(root: Path, name: str) -> None:
    if not (root / "pyproject.toml").is_file() or not (root / "modules").is_dir():
        raise Refuse("a module is made in a checkout of Butler; go to its folder first")
    if not NAME.match(name) or keyword.iskeyword(name):
        raise Refuse(
            f"{name!r} cannot be a module's name; it needs 2 to 16 small letters and digits, such as `weather`"
        )
    if name in _TAKEN:
        raise Refuse(f"{name!r} cannot be a module's name, for it means something else in the names of tools")
    if (root / "modules" / name).exists():
        raise Refuse(f"there is a module {name} already")


def _files(scaffold: Scaffold) -> Iterator[tuple[str, str]]:
    """Yield every file by its path in the checkout."""
    name, module = scaffold.name, f"modules/{scaffold.name}"
    tests = f"tests/modules/{name}"
    pages = {
        f"{module}/__init__.py": "module/init.py",
        f"{module}/config.py": "module/config.py",
        f"{module}/records.py": "module/records.py",
        f"{module}/integration_{name}.py": "module/integration.py",
        f"{module}/tools.py": "module/tools.py",
        f"{module}/module.py": "module/module.py",
        f"{module}/rendering.py": "module/rendering.py",
        f"{module}/README.md": "module/README.md",
        f"{tests}/server.py": "tests/module/server.py",
        f"{tests}/test_{name}.py": "tests/module/test_module.py",
    }
    if scaffold.adapter:
        pages[f"tests/adapters/subjects/{name}.py"] = "tests/adapter_subject.py"
    if scaffold.bulk:
        pages |= {
            f"{module}/bulk.py": "module/bulk.py",
            f"{module}/bulk_tool.py": "module/bulk_tool.py",
            f"tests/bulk/subjects/{name}.py": "tests/bulk_subject.py",
        }
    prompts = Prompts(_TEMPLATES)
    values: dict[str, Any] = {
        "name": name,
        "title": scaffold.title,
        "upper": name.upper(),
        "adapter": scaffold.adapter,
        "bulk": scaffold.bulk,
    }
    for path, template in sorted(pages.items()):
        yield path, prompts.render(f"{template}.jinja", values).rstrip() + "\n"
    for tool, (identity, action) in scaffold.tools.items():
        guide = prompts.render(f"module/prompts/{action}.md.jinja", values | {"identity": identity})
        yield f"{module}/prompts/tool_{tool}.md", guide.rstrip() + "\n"
    yield f"{tests}/__init__.py", ""


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _add_settings(path: Path, scaffold: Scaffold) -> None:
    """Add the module's sections to the example, by which the tests and the references know every module."""
    text = path.read_text(encoding="utf-8")
    sections = "".join(_section(scaffold.name, identity) for identity in scaffold.identities)
    before, found, after = text.partition(_BEFORE)
    path.write_text(f"{before}{sections}{found}{after}" if found else f"{text}{sections}", encoding="utf-8")


def _section(name: str, identity: Identity) -> str:
    variable = f"BUTLER_{name.upper()}{'_USER' if identity is Identity.USER else ''}_KEY"
    return (
        f'\n[modules.{name}.{identity}]\nurl = "https://{name}.home.example"\nkey_env = "{variable}"\n'
        'tls_ca = ""\ntimeout_s = 20\nenabled = true\n'
    )


def _add_tools(path: Path, scaffold: Scaffold) -> None:
    """Add the module's tools to those that Butler installs."""
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["tools"] = sorted({*manifest["tools"], *scaffold.tools})
    path.write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _next(scaffold: Scaffold) -> str:
    lock = f"  butler contracts bump {scaffold.name}" if scaffold.adapter else "  butler contracts bump --methods"
    tests = f"tests/modules/{scaffold.name} tests/project/test_conformance.py"
    return f"""Next:
{lock}
  python -m scripts.reference
  python -m scripts.texts
  python -m pytest -k {scaffold.name} {tests}
Then change it into the module you want (docs/how-to/write-a-module.md)."""
