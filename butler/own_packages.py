"""Checks that `config` and `modules` are Butler's own. Imports nothing of ours, as it may be somebody else's."""

from importlib.util import find_spec
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent


def foreign_package() -> str:
    """Return a sentence about a foreign package; empty if all is well."""
    for name in ("config", "modules"):
        spec = find_spec(name)
        where = Path(spec.origin).resolve().parent.parent if spec is not None and spec.origin else None
        if where != HOME:
            return (
                f"the package {name!r} comes from {where or 'nowhere'} and is not Butler's: "
                "start Butler from another folder, without PYTHONPATH"
            )
    return ""
