"""What was released, according to version control: every contract and method at the commit that first locked it.

A commit can rewrite contract, kept copies, lock and page together, so that they agree. It cannot rewrite earlier
commits. So the current lock is compared with what each commit that changed the lock contained.
"""

import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from butler.adapters.approvals import Approvals
from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files
from butler.adapters.git import git
from butler.adapters.lock import Lock
from butler.adapters.version import Version
from butler.contract.adapters import AdapterContract
from butler.contract.errors import Refuse

BASES = ("origin/HEAD", "origin/main", "main")
"""Refs whose commits come before the own ones, if they exist: those of a branch are its author's to rewrite."""
_NOWHERE = "there is no git repository here"
_UNKNOWN = "git has no commit of the lock here"
_SHALLOW = "this is a shallow clone, whose older commits are missing (`git fetch --unshallow` brings them)"


@dataclass(frozen=True, slots=True)
class ReleasedVersion:
    """One version of a contract as it was first locked."""

    adapter_id: str
    version: str
    digest: str
    channel: str
    commit: str


@dataclass(slots=True)
class Released:
    """Everything that any commit has released, each by the first commit that did."""

    versions: dict[tuple[str, str], ReleasedVersion] = field(default_factory=dict[tuple[str, str], ReleasedVersion])
    methods: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    """By `method_id`: its digest, and the commit."""
    missing: str = ""
    """Why the comparison is incomplete; empty if it is complete."""

    def of(self, adapter_id: str) -> list[ReleasedVersion]:
        """Return the versions of one adapter, the oldest first."""
        found = [one for one in self.versions.values() if one.adapter_id == adapter_id]
        return sorted(found, key=lambda one: Version.parse(one.version))


class History:
    """The repository that contains the contracts."""

    def __init__(self, files: Files) -> None:
        self._files = files
        root = git(files.lock.parent, "rev-parse", "--show-toplevel")
        self._root = Path(root.strip()) if root else None

    def released(self, bases: Sequence[str] = ()) -> Released:
        """Return what the commits of the bases (by default of `BASES`), and then those up to here, have released.

        An adapter counts from the first commit whose approvals file does not list it as a draft; methods from the first
        without any drafts. Raises `Refuse` if a named base does not exist.
        """
        found = Released()
        if self._root is None:
            found.missing = _NOWHERE
            return found
        there = [base for base in bases or BASES if self._is_commit(self._root, base)]
        if unknown := set(bases) - set(there):
            raise Refuse(f"git knows no commit {', '.join(sorted(unknown))}")
        commits = dict.fromkeys(commit for start in (*there, "HEAD") for commit in self._commits(self._root, start))
        for commit in commits:
            self._learn(commit, found)
        if (git(self._root, "rev-parse", "--is-shallow-repository") or "").strip() == "true":
            found.missing = _SHALLOW
        elif not commits:
            found.missing = _UNKNOWN
        return found

    def contract(self, one: ReleasedVersion) -> AdapterContract | None:
        """Return the kept copy of a version at the commit that released it; None if that has no readable one."""
        text = self._at(one.commit, self._files.locked(one.channel, one.version))
        try:
            return None if text is None else AdapterContract.model_validate(json.loads(text))
        except ValueError:
            return None

    @staticmethod
    def _is_commit(root: Path, base: str) -> bool:
        return git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{base}^{{commit}}") is not None

    def _commits(self, root: Path, start: str) -> list[str]:
        """Return the commits that changed the lock, or what counts as released, the oldest first."""
        paths = [self._path(root, path) for path in (self._files.lock, self._files.approvals)]
        text = git(root, "log", "--full-history", "--topo-order", "--reverse", "--format=%H", start, "--", *paths)
        return (text or "").split()

    def _learn(self, commit: str, found: Released) -> None:
        text = self._at(commit, self._files.lock)
        try:
            lock = None if text is None else Lock.model_validate({"retired": {}, **json.loads(text)})
        except (ValueError, TypeError):
            return  # An unreadable lock was never in force.
        if lock is None:
            return
        drafts = self._drafts(commit)
        for one in _given_out(lock, commit):
            if one.adapter_id not in drafts:
                found.versions.setdefault((one.adapter_id, one.version), one)
        if not drafts:
            for method_id, digest in {**lock.methods, **lock.retired}.items():
                found.methods.setdefault(method_id, (digest, commit))

    def _drafts(self, commit: str) -> frozenset[str]:
        text = self._at(commit, self._files.approvals)
        try:
            return frozenset(Approvals.model_validate(tomllib.loads(text or "")).draft)
        except ValueError:
            return frozenset()

    def _at(self, commit: str, path: Path) -> str | None:
        """Return a file as of a commit; None if it has none."""
        return None if self._root is None else git(self._root, "show", f"{commit}:{self._path(self._root, path)}")

    @staticmethod
    def _path(root: Path, path: Path) -> str:
        return path.resolve().relative_to(root.resolve()).as_posix()


def _given_out(lock: Lock, commit: str) -> Iterator[ReleasedVersion]:
    for adapter_id, locked in lock.adapters.items():
        for version, digest in locked.digests.items():
            try:
                Version.parse(version)
            except ContractFileError:
                continue
            yield ReleasedVersion(adapter_id, version, digest, locked.channel, commit)
