"""Approvals of changes that break tools: entries of `config/contracts.approvals.toml`, committed with a reason."""

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files
from butler.adapters.git import git
from butler.contract.door import explain
from butler.contract.records import ClosedRecord

GONE = "gone"
"""The version of an approval to remove an adapter."""


class Approval(ClosedRecord):
    """One approved change."""

    adapter: str
    version: str
    """The new version, such as `2.0.0`; `gone` if the adapter is removed."""
    digest: str
    """The digest of the new contract, or of the last one if the adapter is removed."""
    reason: str = Field(min_length=1)
    by: str = Field(min_length=1)

    @property
    def entry(self) -> str:
        """Return the approval as an entry of the file."""
        lines = [f"{key} = {_quoted(value)}" for key, value in self.model_dump().items()]
        return "\n".join(["[[approved]]", *lines])


class Approvals(ClosedRecord):
    """The contents of the file."""

    draft: tuple[str, ...] = ()
    """Adapters that are committed and were never released: they may still be locked again as 1.0.0."""
    approved: tuple[Approval, ...] = ()

    def find(self, adapter_id: str, version: str) -> Approval | None:
        """Return the approval of a version, if there is one."""
        return next((one for one in self.approved if (one.adapter, one.version) == (adapter_id, version)), None)


def read_approvals(files: Files) -> Approvals:
    """Return the approvals; none if there is no file. Raise `ContractFileError`."""
    path = files.approvals
    try:
        return Approvals.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Approvals()
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ContractFileError(f"{path.name} cannot be read ({error})") from None
    except ValidationError as error:
        raise ContractFileError(f"{path.name} is no list of approvals ({explain(error)})") from None


def is_committed(path: Path) -> bool:
    """Return whether a file is committed as it is; outside of a repository this cannot be asked."""
    text = git(path.parent, "status", "--porcelain", "--", path.name)
    return text is None or not text.strip()


def is_new(path: Path) -> bool:
    """Return whether a file was never under version control; False outside of a repository, where it is unknown."""
    if git(path.parent, "rev-parse", "--is-inside-work-tree") is None:
        return False
    return not git(path.parent, "log", "-1", "--format=%H", "--", path.name)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
