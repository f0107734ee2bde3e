"""`butler contracts bump` locks what the code says under the version it needs, and refuses what may not be."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace

import pytest
from pydantic import BaseModel, ConfigDict

from butler.adapters import writing
from butler.adapters.approvals import read_approvals
from butler.adapters.bump import bump, lock_methods
from butler.adapters.catalogue import load_catalogue
from butler.adapters.check import check
from butler.adapters.code import code_of
from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files
from butler.adapters.lock import read_lock
from butler.adapters.version import Version
from butler.contract.errors import Refuse
from tests.adapters.contracts.harness import (
    ADAPTER,
    OPERATIONS,
    Harness,
    Local,
    Op,
    SearchArgs,
    Vectors,
    entry_of,
    grown,
    tool,
)


class OtherArgs(BaseModel):
    """Something else."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: str


def contents(harness: Harness) -> dict[str, bytes]:
    """Every file of a project."""
    folder = harness.files.modules.parent
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(harness: Harness, **how: bool) -> str:
    """Why it may not be locked; and nothing was written."""
    before = contents(harness)
    with pytest.raises(Refuse) as error:
        harness.bump(**how)
    assert contents(harness) == before
    return error.value.detail


def approve_and_bump(harness: Harness) -> str:
    harness.approve(entry_of(refused(harness)))
    return harness.bump()


def make_breaking(harness: Harness, method_id: str = "qdrant.points.search.v2") -> None:
    """Search takes something else from now on."""
    harness.change("search", args=OtherArgs, method_id=method_id)


def test_the_first_version_is_1_0_0_and_every_file_of_it_is_written(tmp_path):
    harness = Harness.at(tmp_path)
    told = harness.bump()
    assert told.splitlines() == [
        "qdrant-vector 1.0.0 is locked.",
        "Written: modules/qdrant/contracts/1.0.0.json",
        "Written: modules/qdrant/contract.json",
        "Written: modules/ADAPTER_CONTRACTS.md",
        "Written: config/contracts.lock.json",
    ]
    assert check(harness.files, harness.code) == []
    assert load_catalogue(harness.files).adapters[ADAPTER].version == Version(1, 0, 0)


def test_what_is_as_it_was_locked_keeps_its_version(harness):
    before = contents(harness)
    assert "qdrant-vector is as it was locked." in harness.bump()
    assert contents(harness) == before


def test_words_are_a_patch(harness):
    harness.change("search", description="Looks for what is near.")
    told = harness.bump()
    assert "qdrant-vector 1.0.0: patch: search is described anew" in told
    assert "qdrant-vector 1.0.1 is locked." in told


def test_a_new_operation_is_a_minor_version(harness):
    harness.ops["count"] = Op("qdrant.points.count.v1", OtherArgs, OPERATIONS["upsert"].answer)
    assert "qdrant-vector 1.1.0 is locked." in harness.bump()
    assert "qdrant.points.count.v1" in read_lock(harness.files).methods
    assert check(harness.files, harness.code) == []


def test_older_versions_stay_while_a_tool_is_made_for_them_and_go_with_the_last(harness):
    harness.change("search", args=grown(SearchArgs, filter=(str, "")))
    harness.bump()
    assert sorted(read_lock(harness.files).adapters[ADAPTER].digests) == ["1.0.0", "1.1.0"]
    harness.tools = dict.fromkeys(OPERATIONS, "1.1.0")
    assert "Dropped: modules/qdrant/contracts/1.0.0.json" in harness.bump()
    assert sorted(read_lock(harness.files).adapters[ADAPTER].digests) == ["1.1.0"]
    assert check(harness.files, harness.code) == []


def test_a_breaking_change_needs_an_approval_that_names_the_very_contract(harness):
    make_breaking(harness)
    told = refused(harness)
    assert "qdrant-vector would break tools:" in told
    assert "search is done by qdrant.points.search.v2 instead of qdrant.points.search.v1" in told
    entry = entry_of(told)
    assert 'version = "2.0.0"' in entry
    harness.approve(entry)
    harness.change("upsert", description="And something more.")
    assert entry_of(refused(harness)) != entry
    harness.change("upsert", description=OPERATIONS["upsert"].description)
    assert "qdrant-vector 2.0.0 is locked." in harness.bump()


def test_an_approval_needs_a_reason_and_somebody(harness):
    make_breaking(harness)
    harness.approve(entry_of(refused(harness)).replace('reason = "why"', 'reason = ""'))
    with pytest.raises(ContractFileError, match="reason"):
        harness.bump()


@pytest.mark.parametrize("text", ["[[approved]]\nadapter = 1", "not toml", "[[agreed]]\n"])
def test_approvals_that_cannot_be_read_approve_nothing(harness, text):
    make_breaking(harness)
    harness.approve(text)
    with pytest.raises(ContractFileError, match=r"contracts\.approvals\.toml"):
        harness.bump()
    assert any("contracts.approvals.toml" in fault for fault in check(harness.files, harness.code))


def git_in(harness: Harness) -> Callable[..., None]:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@home.example"]
        subprocess.run(["git", *who, *words], cwd=harness.files.modules.parent, check=True, capture_output=True)

    return git


def test_an_approval_counts_once_it_is_committed(harness):
    git = git_in(harness)
    git("init", "-q")
    make_breaking(harness)
    harness.approve(entry_of(refused(harness)))
    assert refused(harness).startswith("commit contracts.approvals.toml first")
    git("add", "config/contracts.approvals.toml")
    assert refused(harness).startswith("commit contracts.approvals.toml first")
    git("commit", "-q", "-m", "Agreed")
    assert "qdrant-vector 2.0.0 is locked." in harness.bump()


def test_without_git_the_file_is_what_counts(harness, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    make_breaking(harness)
    assert "qdrant-vector 2.0.0 is locked." in approve_and_bump(harness)


def test_the_old_version_stays_while_tools_use_it_and_the_code_has_its_methods(harness):
    make_breaking(harness)
    harness.hidden.append(OPERATIONS["search"])
    made = [tool(Vectors(), "search")]
    harness.approve(entry_of(refused(harness)))
    told = bump(harness.files, code_of([("qdrant", harness.integration)], made), ADAPTER)
    assert sorted(read_lock(harness.files).adapters[ADAPTER].digests) == ["1.0.0", "2.0.0"]
    needs = "bot_qdrant_search (modules/qdrant) is made for 1.0.0 and has to be updated to 2.0.0."
    assert needs in told
    assert check(harness.files, code_of([("qdrant", harness.integration)], made)) == []
    harness.hidden.clear()
    faults = check(harness.files, code_of([("qdrant", harness.integration)], made))
    assert "qdrant-vector 1.0.0 is still served, and the code no longer has qdrant.points.search.v1 as it was; " in (
        "".join(faults)
    )


def test_a_version_whose_methods_are_gone_is_served_no_more(harness):
    make_breaking(harness)
    approve_and_bump(harness)
    assert sorted(read_lock(harness.files).adapters[ADAPTER].digests) == ["2.0.0"]
    assert not harness.files.locked("qdrant", "1.0.0").exists()
    faults = check(harness.files, harness.code)
    assert [fault for fault in faults if fault.startswith("gate 4 contract_version: bot_qdrant_search")]
    harness.tools = dict.fromkeys(OPERATIONS, "2.0.0")
    assert check(harness.files, harness.code) == []


def test_the_tools_to_update_are_listed_with_the_file_that_says_their_version(harness):
    place = harness.files.modules / "qdrant" / "tools.py"
    place.write_text('contract_version = "1.0.0"\nNAMES = ("search", "upsert")\n')
    harness.change("search", description="Anew.")
    told = harness.bump()
    assert "bot_qdrant_search (modules/qdrant/tools.py) is made for 1.0.0 and may be updated to 1.0.1." in told
    assert "bot_qdrant_health_check (modules/qdrant) is made for" in told


def test_a_method_is_never_redefined_behind_a_contract(harness):
    make_breaking(harness, "qdrant.points.search.v1")
    told = refused(harness)
    assert "search input, vector: it was removed" in told
    assert told.endswith(
        "qdrant.points.search.v1 is not as it was locked; take it back, or call the new one qdrant.points.search.v2"
    )


def test_a_method_behind_an_operation_may_be_given_more(harness):
    before = read_lock(harness.files).methods
    harness.change("search", args=grown(SearchArgs, filter=(str, "")))
    harness.bump()
    after = read_lock(harness.files).methods
    assert {name for name in before if before[name] != after[name]} == {"qdrant.points.search.v1"}


def test_a_method_behind_no_operation_is_not_redefined_either(harness):
    harness.hidden.append(Op("qdrant.service.version.v1", OtherArgs, OPERATIONS["upsert"].answer))
    assert "qdrant.service.version.v1 is not locked: `butler contracts bump qdrant-vector`" in check(
        harness.files, harness.code
    )
    harness.bump()
    assert check(harness.files, harness.code) == []
    harness.hidden[0] = replace(harness.hidden[0], args=grown(OtherArgs, more=(str, "")))
    assert "call the new one qdrant.service.version.v2" in refused(harness)


def test_the_id_of_a_method_that_is_gone_is_never_used_for_anything_else(harness):
    make_breaking(harness)
    approve_and_bump(harness)
    lock = read_lock(harness.files)
    assert "qdrant.points.search.v1" in lock.retired
    assert "qdrant.points.search.v1" not in lock.methods
    assert "- `qdrant.points.search.v1` (`" in harness.files.document.read_text()
    make_breaking(harness, "qdrant.points.search.v1")
    assert "qdrant.points.search.v1 is not as it was locked" in refused(harness)
    harness.change("search", args=SearchArgs)
    harness.change("search", method_id="qdrant.points.search.v1")
    approve_and_bump(harness)
    assert read_lock(harness.files).retired.keys() == {"qdrant.points.search.v2"}


def test_first_is_for_adapters_that_were_never_given_out(harness):
    make_breaking(harness, "qdrant.points.search.v1")
    assert refused(harness, first=True) == "qdrant-vector was given out, so its versions stay; leave out --first"
    harness.approve(f'draft = ["{ADAPTER}"]\n')
    told = harness.bump(first=True)
    assert "qdrant-vector 1.0.0 is locked." in told
    assert check(harness.files, harness.code) == []


def test_first_is_for_what_was_never_committed_unless_it_is_a_draft_on_record(harness):
    git = git_in(harness)
    git("init", "-q")
    make_breaking(harness, "qdrant.points.find.v1")
    assert "qdrant-vector 1.0.0 is locked." in harness.bump(first=True)
    git("add", ".")
    assert "qdrant-vector 1.0.0 is locked." in harness.bump(first=True)
    git("commit", "-q", "-m", "Given out")
    given_out = "qdrant-vector was given out, so its versions stay; leave out --first"
    assert refused(harness, first=True) == given_out
    git("rm", "-q", "--cached", "-r", "modules")
    git("commit", "-q", "-m", "Taken back")
    assert refused(harness, first=True) == given_out
    harness.approve(f'draft = ["{ADAPTER}"]\n')
    assert refused(harness, first=True).startswith("commit contracts.approvals.toml first")
    git("add", "config")
    git("commit", "-q", "-m", "A draft")
    assert "qdrant-vector 1.0.0 is locked." in harness.bump(first=True)


def test_first_brings_back_no_id_that_was_retired(harness):
    harness.approve(f'draft = ["{ADAPTER}"]\n')
    gone = harness.ops.pop("health_check")
    harness.approve(entry_of(refused(harness)))
    harness.bump()
    assert gone.method_id in read_lock(harness.files).retired
    harness.bump(first=True)
    assert gone.method_id in read_lock(harness.files).retired
    harness.ops["health_check"] = replace(gone, args=SearchArgs)
    assert "qdrant.service.health_check.v1 is not as it was locked" in refused(harness, first=True)


def test_an_adapter_that_two_modules_have_is_told_and_not_locked(harness):
    twice = code_of([("qdrant", Vectors()), ("aqdrant", Vectors())])
    told = "modules/aqdrant and modules/qdrant both are qdrant-vector; give one of them another id"
    assert check(harness.files, twice) == [told]
    before = contents(harness)
    for first in (False, True):
        with pytest.raises(Refuse, match="both are qdrant-vector"):
            bump(harness.files, twice, ADAPTER, first=first)
    assert contents(harness) == before
    assert check(harness.files, code_of([("qdrant", Vectors()), ("qdrant", Vectors())])) == [], "two accounts of one"


def test_no_adapter_of_this_house_is_a_draft():
    assert read_approvals(Files()).draft == ()


def test_first_forgets_every_version_and_method_of_a_draft(harness):
    harness.approve(f'draft = ["{ADAPTER}"]\n')
    harness.ops["search"] = replace(OPERATIONS["search"], method_id="qdrant.points.find.v1")
    harness.bump(first=True)
    lock = read_lock(harness.files)
    assert lock.adapters[ADAPTER].version == "1.0.0"
    assert "qdrant.points.search.v1" not in lock.methods | lock.retired
    assert check(harness.files, harness.code) == []


def test_an_adapter_goes_with_an_approval_and_leaves_the_ids_of_its_methods_behind(harness):
    with pytest.raises(Refuse) as error:
        bump(harness.files, code_of([]), ADAPTER)
    assert "breaking: the adapter qdrant-vector is gone" in error.value.detail
    harness.approve(entry_of(error.value.detail))
    integration = Vectors()
    told = bump(harness.files, code_of([], [tool(integration, "search")]), ADAPTER)
    assert told == [
        "qdrant-vector is locked no more.",
        "Dropped: modules/qdrant/contract.json",
        "Dropped: modules/qdrant/contracts/1.0.0.json",
        "bot_qdrant_search is made for it and has to go, too.",
    ]
    lock = read_lock(harness.files)
    assert not lock.adapters
    assert set(lock.retired) == {op.method_id for op in OPERATIONS.values()}
    assert check(harness.files, code_of([])) == []


def test_an_adapter_that_no_module_has_is_told_with_what_could_not_be_read(harness):
    with pytest.raises(ContractFileError, match="no module has the adapter nothing; modules/loki cannot be read: why"):
        bump(harness.files, code_of([], [], {"loki": "why"}), "nothing")
    with pytest.raises(ContractFileError, match="no module has the adapter qdrant-vector"):
        bump(harness.files, code_of([], [], {"qdrant": "why"}), ADAPTER)


def test_one_adapter_is_locked_while_others_are_half_done(harness):
    code = replace(harness.code, unread={"loki": "ImportError: it is being written"})
    assert bump(harness.files, code, ADAPTER)[0] == "qdrant-vector is as it was locked."


def test_an_adapter_does_not_move_to_another_module(harness):
    code = code_of([("vectors", harness.integration)])
    with pytest.raises(Refuse, match="qdrant-vector belongs to modules/qdrant"):
        bump(harness.files, code, ADAPTER)
    assert any("move it back" in fault for fault in check(harness.files, code))


def test_nothing_is_locked_on_top_of_a_copy_that_was_changed(harness):
    path = harness.files.locked("qdrant", "1.0.0")
    path.write_text(path.read_text().replace("nearest", "furthest"))
    with pytest.raises(ContractFileError, match=r"not qdrant-vector 1\.0\.0 as it was locked"):
        harness.bump()


def test_new_methods_that_are_behind_no_adapter_are_locked_and_those_gone_are_retired(harness):
    local = Local(Op("notes.local.look.v1", OtherArgs, OPERATIONS["upsert"].answer))
    code = code_of([("qdrant", harness.integration), ("notes", local)])
    assert "notes.local.look.v1 is not locked: `butler contracts bump --methods`" in check(harness.files, code)
    assert lock_methods(harness.files, code) == ["Locked: notes.local.look.v1"]
    assert lock_methods(harness.files, code) == ["Every method is as it was locked."]
    assert check(harness.files, code) == []
    gone = "notes.local.look.v1 is locked and no module has it any more; bring it back, or retire its id: "
    assert check(harness.files, harness.code) == [f"{gone}`butler contracts bump --methods`"]
    assert lock_methods(harness.files, harness.code) == ["Retired: notes.local.look.v1"]
    assert check(harness.files, harness.code) == []
    changed = Local(Op("notes.local.look.v1", SearchArgs, OPERATIONS["upsert"].answer))
    redefined = code_of([("qdrant", harness.integration), ("notes", changed)])
    with pytest.raises(Refuse, match=r"call the new one notes\.local\.look\.v2"):
        lock_methods(harness.files, redefined)
    assert any("notes.local.look.v1 is not as it was locked" in fault for fault in check(harness.files, redefined))


def test_a_method_that_a_contract_stands_on_is_not_retired_beside_it(harness):
    harness.ops["search"] = replace(OPERATIONS["search"], method_id="qdrant.points.search.v2")
    (gone,) = [one for one in check(harness.files, harness.code) if one.startswith("qdrant.points.search.v1 is locked")]
    assert gone.endswith("`butler contracts bump qdrant-vector`")
    assert lock_methods(harness.files, harness.code) == ["Every method is as it was locked."]
    assert "qdrant.points.search.v1" in read_lock(harness.files).methods


def test_methods_are_not_retired_while_a_module_cannot_be_read(harness):
    with pytest.raises(Refuse, match="modules/loki cannot be read: why"):
        lock_methods(harness.files, replace(harness.code, unread={"loki": "why"}))


def test_two_integrations_do_not_share_an_id_for_different_methods(harness):
    other = Local(Op("qdrant.points.search.v1", OtherArgs, OPERATIONS["upsert"].answer))
    code = code_of([("qdrant", harness.integration), ("notes", other)])
    assert "two integrations have qdrant.points.search.v1 with different schemas; give one of them another id" in check(
        harness.files, code
    )


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("survives", range(6))
def test_a_kill_amid_a_bump_leaves_nothing_that_passes_for_locked(harness, monkeypatch, survives):
    """Whatever was written, the check tells that it is not done; and doing it again ends where one bump would have."""
    harness.change("search", args=grown(SearchArgs, filter=(str, "")))
    harness.tools = dict.fromkeys(OPERATIONS, "1.1.0")
    steps, before = 0, contents(harness)

    def killed_at(write):
        def step(*args, **kwargs):
            nonlocal steps
            if steps == survives:
                raise Killed
            steps += 1
            return write(*args, **kwargs)

        return step

    with monkeypatch.context() as patch:
        for name in ("write_json", "write_text", "write_lock", "_drop"):
            patch.setattr(writing, name, killed_at(getattr(writing, name)))
        try:
            harness.bump()
        except Killed:
            assert check(harness.files, harness.code) != []
            if contents(harness) != before:
                old = load_catalogue(harness.files)
                assert set(old.adapters) | set(old.broken) == {ADAPTER}
    harness.bump()
    assert check(harness.files, harness.code) == []
    assert json.loads(harness.files.current("qdrant").read_text())["version"] == "1.1.0"
    assert [path.name for path in harness.files.kept("qdrant").iterdir()] == ["1.1.0.json"]
