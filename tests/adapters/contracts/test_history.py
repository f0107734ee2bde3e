"""What was given out is held by the commits before: rewriting all files together in one commit changes nothing."""

import shutil
import subprocess
from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict, Field

from butler.adapters.approvals import is_committed
from butler.adapters.check import check
from butler.adapters.files import Files
from butler.adapters.history_check import check_history
from butler.adapters.lock import Lock, read_lock, write_lock
from butler.adapters.writing import write_contract
from butler.cli.contracts import code as contracts_code
from butler.contract.errors import Refuse
from tests.adapters.contracts.harness import ADAPTER, Harness, Op, SearchArgs, UpsertArgs, entry_of, grown
from tests.cli.conftest import Butler, an_empty_home, butler

__all__ = ["an_empty_home", "butler"]


class LessArgs(BaseModel):
    """`SearchArgs` without its limit."""

    __doc__ = SearchArgs.__doc__
    model_config = ConfigDict(extra="forbid", frozen=True)

    vector: list[float] = Field(description="The numbers to look near.")


@pytest.fixture
def given_out(harness: Harness) -> Harness:
    """A project whose first contract was committed on main."""
    git(harness, "init", "-q", "-b", "main")
    commit(harness, "Given out")
    assert faults(harness) == []
    return harness


def git(harness: Harness, *words: str) -> str:
    who = ["-c", "user.name=a", "-c", "user.email=a@home.example"]
    done = subprocess.run(
        ["git", *who, *words], cwd=harness.files.modules.parent, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(harness: Harness, subject: str) -> str:
    git(harness, "add", "-A")
    git(harness, "commit", "-q", "--allow-empty", "-m", subject)
    return git(harness, "rev-parse", "HEAD")


def faults(harness: Harness, *bases: str) -> list[str]:
    """What the history says against it; everything else agrees with one another."""
    assert check(harness.files, harness.code) == []
    found, missing = check_history(harness.files, bases)
    assert missing == ""
    return found


def remove_an_input(harness: Harness) -> None:
    harness.change("search", args=LessArgs)


def rewrite(harness: Harness, version: str = "1.0.0") -> None:
    """Contract, kept copy, lock and page as if it had always been so."""
    locked = read_lock(harness.files)
    harness.files.current("qdrant").unlink()
    for kept in harness.files.kept("qdrant").glob("*.json"):
        kept.unlink()
    write_lock(harness.files, Lock.empty().model_copy(update={"retired": locked.retired}))
    harness.bump()
    if version != "1.0.0":
        renumber(harness, version)
    harness.tools = dict.fromkeys(harness.ops, version)


def renumber(harness: Harness, version: str) -> None:
    """The same under another number, in every file."""
    lock, contract = read_lock(harness.files), harness.integration.contract(version)
    locked = lock.adapters[ADAPTER].model_copy(update={"version": version, "digests": {version: contract.digest}})
    lock.adapters[ADAPTER] = locked
    write_contract(harness.files, lock, contract)


def test_an_input_is_removed_and_all_files_are_rewritten_in_one_commit_at_the_same_version(given_out: Harness) -> None:
    first = git(given_out, "rev-parse", "HEAD")
    remove_an_input(given_out)
    rewrite(given_out)
    (fault,) = faults(given_out)
    assert fault.startswith(f"qdrant-vector 1.0.0 is not what commit {first[:10]} gave out as 1.0.0; take it back")
    commit(given_out, "Rewritten")
    assert faults(given_out) == [fault], "also where it was merged, as CI sees it"
    commit(given_out, "Something else on top")
    assert faults(given_out) == [fault]


def test_taking_it_back_is_enough(given_out: Harness) -> None:
    before = dict(given_out.ops)
    remove_an_input(given_out)
    rewrite(given_out)
    commit(given_out, "Rewritten")
    git(given_out, "revert", "--no-edit", "HEAD")
    given_out.ops = before
    assert faults(given_out) == []


@pytest.mark.parametrize("version", ["1.0.1", "1.1.0"])
def test_a_number_that_is_too_small_for_what_was_removed(given_out: Harness, version: str) -> None:
    remove_an_input(given_out)
    rewrite(given_out, version)
    commit(given_out, "A small change")
    (fault,) = faults(given_out)
    assert fault.startswith(f"qdrant-vector {version} differs from 1.0.0 (")
    assert "breaking: search input, limit" in fault
    assert "which needs 2.0.0" in fault


def test_a_number_that_goes_back(given_out: Harness) -> None:
    remove_an_input(given_out)
    rewrite(given_out, "0.9.0")
    commit(given_out, "Older than old")
    (fault,) = faults(given_out)
    assert fault.startswith("qdrant-vector goes back to 0.9.0, and 1.0.0 was given out")


def test_a_draft_in_the_same_commit_gives_nothing_back(given_out: Harness) -> None:
    remove_an_input(given_out)
    rewrite(given_out)
    given_out.files.approvals.write_text(f'draft = ["{ADAPTER}"]\n')
    commit(given_out, "It was only a draft")
    (fault,) = faults(given_out)
    assert "1.0.0 is not what commit" in fault


def test_what_was_a_draft_when_it_was_committed_may_still_change_until_it_is_given_out(harness: Harness) -> None:
    git(harness, "init", "-q", "-b", "main")
    harness.files.approvals.write_text(f'draft = ["{ADAPTER}"]\n')
    commit(harness, "A draft")
    remove_an_input(harness)
    harness.bump(first=True)
    commit(harness, "Another draft")
    assert faults(harness) == []
    harness.files.approvals.write_text("draft = []\n")
    commit(harness, "Given out")
    harness.change("search", args=SearchArgs)
    rewrite(harness)
    (fault,) = faults(harness)
    assert "is not what commit" in fault


def test_an_adapter_that_leaves_the_lock_without_an_approval(given_out: Harness) -> None:
    shutil.rmtree(given_out.files.modules / "qdrant")
    write_lock(given_out.files, Lock.empty())
    commit(given_out, "Gone")
    found, _ = check_history(given_out.files)
    assert any(fault.startswith("breaking: qdrant-vector was given out by commit") for fault in found)


def test_a_method_behind_no_operation_is_never_redefined_in_the_lock(harness: Harness) -> None:
    harness.hidden = [Op("qdrant.points.count.v1", SearchArgs, harness.ops["upsert"].answer)]
    harness.bump()
    git(harness, "init", "-q", "-b", "main")
    commit(harness, "Given out")
    assert faults(harness) == []
    harness.hidden = [Op("qdrant.points.count.v1", UpsertArgs, harness.ops["upsert"].answer)]
    rewrite(harness)
    (fault,) = faults(harness)
    assert fault.startswith("qdrant.points.count.v1 is not what commit")


def test_a_method_that_vanishes_from_the_lock(harness: Harness) -> None:
    harness.hidden = [Op("qdrant.points.count.v1", SearchArgs, harness.ops["upsert"].answer)]
    harness.bump()
    git(harness, "init", "-q", "-b", "main")
    commit(harness, "Given out")
    harness.hidden = []
    rewrite(harness)
    (fault,) = faults(harness)
    assert fault.startswith("qdrant.points.count.v1 was given out by commit")
    assert fault.endswith("is neither locked nor retired; `butler contracts bump --methods` retires what is gone")


def test_a_branch_whose_own_commits_were_rewritten_is_held_by_main(given_out: Harness) -> None:
    git(given_out, "checkout", "-q", "--orphan", "mine")
    remove_an_input(given_out)
    rewrite(given_out)
    commit(given_out, "Nothing was ever before this")
    (fault,) = faults(given_out)
    assert "1.0.0 is not what commit" in fault
    assert faults(given_out, "mine") == [], "only where main may be looked at"


def test_a_new_version_that_says_what_changed_passes(given_out: Harness) -> None:
    given_out.change("search", args=grown(SearchArgs, filter=(str, "")))
    given_out.bump()
    commit(given_out, "One more argument")
    assert read_lock(given_out.files).adapters[ADAPTER].version == "1.1.0"
    assert faults(given_out) == []
    given_out.tools = dict.fromkeys(given_out.ops, "1.1.0")
    given_out.bump()
    commit(given_out, "Nobody needs the old one")
    assert faults(given_out) == []
    given_out.change("search", args=LessArgs, method_id="qdrant.points.search.v2")
    with pytest.raises(Refuse) as refusal:
        given_out.bump()
    given_out.approve(entry_of(refusal.value.detail))
    commit(given_out, "Agreed")
    assert is_committed(given_out.files.approvals)
    given_out.bump()
    given_out.tools = dict.fromkeys(given_out.ops, "2.0.0")
    commit(given_out, "An argument less")
    assert read_lock(given_out.files).adapters[ADAPTER].version == "2.0.0"
    assert faults(given_out) == []


def test_without_a_repository_it_is_said_that_nothing_could_be_compared(harness: Harness) -> None:
    remove_an_input(harness)
    rewrite(harness)
    assert check_history(harness.files) == ([], "there is no git repository here")


def test_a_repository_that_never_had_the_lock_is_no_history(harness: Harness) -> None:
    git(harness, "init", "-q", "-b", "main")
    assert check_history(harness.files) == ([], "git has no commit of the lock here")


def test_a_shallow_clone_says_that_it_could_not_compare_all(given_out: Harness, tmp_path: Path) -> None:
    remove_an_input(given_out)
    rewrite(given_out)
    commit(given_out, "Rewritten")
    source, clone = given_out.files.modules.parent, tmp_path / "clone"
    for depth, found in ("1", 0), ("9", 1):
        shutil.rmtree(clone, ignore_errors=True)
        subprocess.run(
            ["git", "clone", "-q", "--depth", depth, f"file://{source}", str(clone)], check=True, capture_output=True
        )
        there = Files(clone / "modules", clone / "config" / "contracts.lock.json")
        faulty, missing = check_history(there)
        assert len(faulty) == found
        assert ("shallow clone" in missing) == (depth == "1")


def test_a_base_that_is_not_there_is_refused(given_out: Harness) -> None:
    with pytest.raises(Refuse, match="git knows no commit nowhere"):
        check_history(given_out.files, ["nowhere"])


@pytest.fixture
def mine(given_out: Harness, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """The commands look at a test's own project."""
    monkeypatch.setattr("butler.adapters.files.Files", lambda: given_out.files)
    monkeypatch.setattr("butler.adapters.catalogue.Files", lambda: given_out.files)
    monkeypatch.setattr(contracts_code, "read_code", lambda: given_out.code)
    return given_out


async def test_the_command_passes_what_was_given_out_and_refuses_what_was_rewritten(
    butler: Butler, mine: Harness
) -> None:
    good = await butler("contracts", "check")
    assert (good.exit_code, good.stdout, good.stderr) == (0, "1 adapters and 4 methods are as they were locked.\n", "")
    remove_an_input(mine)
    rewrite(mine)
    commit(mine, "Rewritten")
    done = await butler("contracts", "check")
    assert done.exit_code == 1
    assert done.stderr.startswith("butler: qdrant-vector 1.0.0 is not what commit")
    missing = await butler("contracts", "check", "--base", "nowhere")
    assert (missing.exit_code, missing.stderr) == (1, "butler: git knows no commit nowhere\n")
