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
from butler.adapters.files import Files
from butler.adapters.lock import read_lock
from butler.contract.adapters import Version
from butler.contract.errors import ContractFileError, Refuse
from tests.adapters.contracts.house import (
    ADAPTER,
    OPERATIONS,
    House,
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


def contents(house: House) -> dict[str, bytes]:
    """Every file of a house."""
    folder = house.files.modules.parent
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def refused(house: House, **how: bool) -> str:
    """Why it may not be locked; and nothing was written."""
    before = contents(house)
    with pytest.raises(Refuse) as error:
        house.bump(**how)
    assert contents(house) == before
    return error.value.detail


def approve_and_bump(house: House) -> str:
    house.approve(entry_of(refused(house)))
    return house.bump()


def make_breaking(house: House, method_id: str = "qdrant.points.search.v2") -> None:
    """Search takes something else from now on."""
    house.change("search", args=OtherArgs, method_id=method_id)


def test_the_first_version_is_1_0_0_and_every_file_of_it_is_written(tmp_path):
    house = House.at(tmp_path)
    told = house.bump()
    assert told.splitlines() == [
        "qdrant-vector 1.0.0 is locked.",
        "Written: modules/qdrant/contracts/1.0.0.json",
        "Written: modules/qdrant/contract.json",
        "Written: modules/ADAPTER_CONTRACTS.md",
        "Written: config/contracts.lock.json",
    ]
    assert check(house.files, house.code) == []
    assert load_catalogue(house.files).adapters[ADAPTER].version == Version(1, 0, 0)


def test_what_is_as_it_was_locked_keeps_its_version(house):
    before = contents(house)
    assert "qdrant-vector is as it was locked." in house.bump()
    assert contents(house) == before


def test_words_are_a_patch(house):
    house.change("search", description="Looks for what is near.")
    told = house.bump()
    assert "qdrant-vector 1.0.0: patch: search is described anew" in told
    assert "qdrant-vector 1.0.1 is locked." in told


def test_a_new_operation_is_a_minor_version(house):
    house.ops["count"] = Op("qdrant.points.count.v1", OtherArgs, OPERATIONS["upsert"].answer)
    assert "qdrant-vector 1.1.0 is locked." in house.bump()
    assert "qdrant.points.count.v1" in read_lock(house.files).methods
    assert check(house.files, house.code) == []


def test_older_versions_stay_while_a_tool_is_made_for_them_and_go_with_the_last(house):
    house.change("search", args=grown(SearchArgs, filter=(str, "")))
    house.bump()
    assert sorted(read_lock(house.files).adapters[ADAPTER].digests) == ["1.0.0", "1.1.0"]
    house.tools = dict.fromkeys(OPERATIONS, "1.1.0")
    assert "Dropped: modules/qdrant/contracts/1.0.0.json" in house.bump()
    assert sorted(read_lock(house.files).adapters[ADAPTER].digests) == ["1.1.0"]
    assert check(house.files, house.code) == []


def test_a_breaking_change_needs_an_approval_that_names_the_very_contract(house):
    make_breaking(house)
    told = refused(house)
    assert "qdrant-vector would break tools:" in told
    assert "search is done by qdrant.points.search.v2 instead of qdrant.points.search.v1" in told
    entry = entry_of(told)
    assert 'version = "2.0.0"' in entry
    house.approve(entry)
    house.change("upsert", description="And something more.")
    assert entry_of(refused(house)) != entry
    house.change("upsert", description=OPERATIONS["upsert"].description)
    assert "qdrant-vector 2.0.0 is locked." in house.bump()


def test_an_approval_needs_a_reason_and_somebody(house):
    make_breaking(house)
    house.approve(entry_of(refused(house)).replace('reason = "why"', 'reason = ""'))
    with pytest.raises(ContractFileError, match="reason"):
        house.bump()


@pytest.mark.parametrize("text", ["[[approved]]\nadapter = 1", "not toml", "[[agreed]]\n"])
def test_approvals_that_cannot_be_read_approve_nothing(house, text):
    make_breaking(house)
    house.approve(text)
    with pytest.raises(ContractFileError, match=r"contracts\.approvals\.toml"):
        house.bump()
    assert any("contracts.approvals.toml" in fault for fault in check(house.files, house.code))


def git_in(house: House) -> Callable[..., None]:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@home.example"]
        subprocess.run(["git", *who, *words], cwd=house.files.modules.parent, check=True, capture_output=True)

    return git


def test_an_approval_counts_once_it_is_committed(house):
    git = git_in(house)
    git("init", "-q")
    make_breaking(house)
    house.approve(entry_of(refused(house)))
    assert refused(house).startswith("commit contracts.approvals.toml first")
    git("add", "config/contracts.approvals.toml")
    assert refused(house).startswith("commit contracts.approvals.toml first")
    git("commit", "-q", "-m", "Agreed")
    assert "qdrant-vector 2.0.0 is locked." in house.bump()


def test_without_git_the_file_is_what_counts(house, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    make_breaking(house)
    assert "qdrant-vector 2.0.0 is locked." in approve_and_bump(house)


def test_the_old_version_stays_while_tools_use_it_and_the_code_has_its_methods(house):
    make_breaking(house)
    house.hidden.append(OPERATIONS["search"])
    made = [tool(Vectors(), "search")]
    house.approve(entry_of(refused(house)))
    told = bump(house.files, code_of([("qdrant", house.integration)], made), ADAPTER)
    assert sorted(read_lock(house.files).adapters[ADAPTER].digests) == ["1.0.0", "2.0.0"]
    needs = "bot_qdrant_search (modules/qdrant) is made for 1.0.0 and has to be updated to 2.0.0."
    assert needs in told
    assert check(house.files, code_of([("qdrant", house.integration)], made)) == []
    house.hidden.clear()
    faults = check(house.files, code_of([("qdrant", house.integration)], made))
    assert "qdrant-vector 1.0.0 is still served, and the code no longer has qdrant.points.search.v1 as it was; " in (
        "".join(faults)
    )


def test_a_version_whose_methods_are_gone_is_served_no_more(house):
    make_breaking(house)
    approve_and_bump(house)
    assert sorted(read_lock(house.files).adapters[ADAPTER].digests) == ["2.0.0"]
    assert not house.files.locked("qdrant", "1.0.0").exists()
    faults = check(house.files, house.code)
    assert [fault for fault in faults if fault.startswith("gate 4 contract_version: bot_qdrant_search")]
    house.tools = dict.fromkeys(OPERATIONS, "2.0.0")
    assert check(house.files, house.code) == []


def test_the_tools_to_update_are_listed_with_the_file_that_says_their_version(house):
    place = house.files.modules / "qdrant" / "tools.py"
    place.write_text('contract_version = "1.0.0"\nNAMES = ("search", "upsert")\n')
    house.change("search", description="Anew.")
    told = house.bump()
    assert "bot_qdrant_search (modules/qdrant/tools.py) is made for 1.0.0 and may be updated to 1.0.1." in told
    assert "bot_qdrant_health_check (modules/qdrant) is made for" in told


def test_a_method_is_never_redefined_behind_a_contract(house):
    make_breaking(house, "qdrant.points.search.v1")
    told = refused(house)
    assert "search input, vector: it was removed" in told
    assert told.endswith(
        "qdrant.points.search.v1 is not as it was locked; take it back, or call the new one qdrant.points.search.v2"
    )


def test_a_method_behind_an_operation_may_be_given_more(house):
    before = read_lock(house.files).methods
    house.change("search", args=grown(SearchArgs, filter=(str, "")))
    house.bump()
    after = read_lock(house.files).methods
    assert {name for name in before if before[name] != after[name]} == {"qdrant.points.search.v1"}


def test_a_method_behind_no_operation_is_not_redefined_either(house):
    house.hidden.append(Op("qdrant.service.version.v1", OtherArgs, OPERATIONS["upsert"].answer))
    assert "qdrant.service.version.v1 is not locked: `butler contracts bump qdrant-vector`" in check(
        house.files, house.code
    )
    house.bump()
    assert check(house.files, house.code) == []
    house.hidden[0] = replace(house.hidden[0], args=grown(OtherArgs, more=(str, "")))
    assert "call the new one qdrant.service.version.v2" in refused(house)


def test_the_id_of_a_method_that_is_gone_is_never_used_for_anything_else(house):
    make_breaking(house)
    approve_and_bump(house)
    lock = read_lock(house.files)
    assert "qdrant.points.search.v1" in lock.retired
    assert "qdrant.points.search.v1" not in lock.methods
    assert "- `qdrant.points.search.v1` (`" in house.files.document.read_text()
    make_breaking(house, "qdrant.points.search.v1")
    assert "qdrant.points.search.v1 is not as it was locked" in refused(house)
    house.change("search", args=SearchArgs)
    house.change("search", method_id="qdrant.points.search.v1")
    approve_and_bump(house)
    assert read_lock(house.files).retired.keys() == {"qdrant.points.search.v2"}


def test_first_is_for_adapters_that_were_never_given_out(house):
    make_breaking(house, "qdrant.points.search.v1")
    assert refused(house, first=True) == "qdrant-vector was given out, so its versions stay; leave out --first"
    house.approve(f'draft = ["{ADAPTER}"]\n')
    told = house.bump(first=True)
    assert "qdrant-vector 1.0.0 is locked." in told
    assert check(house.files, house.code) == []


def test_first_is_for_what_was_never_committed_unless_it_is_a_draft_on_record(house):
    git = git_in(house)
    git("init", "-q")
    make_breaking(house, "qdrant.points.find.v1")
    assert "qdrant-vector 1.0.0 is locked." in house.bump(first=True)
    git("add", ".")
    assert "qdrant-vector 1.0.0 is locked." in house.bump(first=True)
    git("commit", "-q", "-m", "Given out")
    given_out = "qdrant-vector was given out, so its versions stay; leave out --first"
    assert refused(house, first=True) == given_out
    git("rm", "-q", "--cached", "-r", "modules")
    git("commit", "-q", "-m", "Taken back")
    assert refused(house, first=True) == given_out
    house.approve(f'draft = ["{ADAPTER}"]\n')
    assert refused(house, first=True).startswith("commit contracts.approvals.toml first")
    git("add", "config")
    git("commit", "-q", "-m", "A draft")
    assert "qdrant-vector 1.0.0 is locked." in house.bump(first=True)


def test_first_brings_back_no_id_that_was_retired(house):
    house.approve(f'draft = ["{ADAPTER}"]\n')
    gone = house.ops.pop("health_check")
    house.approve(entry_of(refused(house)))
    house.bump()
    assert gone.method_id in read_lock(house.files).retired
    house.bump(first=True)
    assert gone.method_id in read_lock(house.files).retired
    house.ops["health_check"] = replace(gone, args=SearchArgs)
    assert "qdrant.service.health_check.v1 is not as it was locked" in refused(house, first=True)


def test_an_adapter_that_two_modules_have_is_told_and_not_locked(house):
    twice = code_of([("qdrant", Vectors()), ("aqdrant", Vectors())])
    told = "modules/aqdrant and modules/qdrant both are qdrant-vector; give one of them another id"
    assert check(house.files, twice) == [told]
    before = contents(house)
    for first in (False, True):
        with pytest.raises(Refuse, match="both are qdrant-vector"):
            bump(house.files, twice, ADAPTER, first=first)
    assert contents(house) == before
    assert check(house.files, code_of([("qdrant", Vectors()), ("qdrant", Vectors())])) == [], "two accounts of one"


def test_no_adapter_of_this_house_is_a_draft():
    assert read_approvals(Files()).draft == ()


def test_first_forgets_every_version_and_method_of_a_draft(house):
    house.approve(f'draft = ["{ADAPTER}"]\n')
    house.ops["search"] = replace(OPERATIONS["search"], method_id="qdrant.points.find.v1")
    house.bump(first=True)
    lock = read_lock(house.files)
    assert lock.adapters[ADAPTER].version == "1.0.0"
    assert "qdrant.points.search.v1" not in lock.methods | lock.retired
    assert check(house.files, house.code) == []


def test_an_adapter_goes_with_an_approval_and_leaves_the_ids_of_its_methods_behind(house):
    with pytest.raises(Refuse) as error:
        bump(house.files, code_of([]), ADAPTER)
    assert "breaking: the adapter qdrant-vector is gone" in error.value.detail
    house.approve(entry_of(error.value.detail))
    integration = Vectors()
    told = bump(house.files, code_of([], [tool(integration, "search")]), ADAPTER)
    assert told == [
        "qdrant-vector is locked no more.",
        "Dropped: modules/qdrant/contract.json",
        "Dropped: modules/qdrant/contracts/1.0.0.json",
        "bot_qdrant_search is made for it and has to go, too.",
    ]
    lock = read_lock(house.files)
    assert not lock.adapters
    assert set(lock.retired) == {op.method_id for op in OPERATIONS.values()}
    assert check(house.files, code_of([])) == []


def test_an_adapter_that_no_module_has_is_told_with_what_could_not_be_read(house):
    with pytest.raises(ContractFileError, match="no module has the adapter nothing; modules/loki cannot be read: why"):
        bump(house.files, code_of([], [], {"loki": "why"}), "nothing")
    with pytest.raises(ContractFileError, match="no module has the adapter qdrant-vector"):
        bump(house.files, code_of([], [], {"qdrant": "why"}), ADAPTER)


def test_one_adapter_is_locked_while_others_are_half_done(house):
    code = replace(house.code, unread={"loki": "ImportError: it is being written"})
    assert bump(house.files, code, ADAPTER)[0] == "qdrant-vector is as it was locked."


def test_an_adapter_does_not_move_to_another_module(house):
    code = code_of([("vectors", house.integration)])
    with pytest.raises(Refuse, match="qdrant-vector belongs to modules/qdrant"):
        bump(house.files, code, ADAPTER)
    assert any("move it back" in fault for fault in check(house.files, code))


def test_nothing_is_locked_on_top_of_a_copy_that_was_changed(house):
    path = house.files.locked("qdrant", "1.0.0")
    path.write_text(path.read_text().replace("nearest", "furthest"))
    with pytest.raises(ContractFileError, match=r"not qdrant-vector 1\.0\.0 as it was locked"):
        house.bump()


def test_new_methods_that_are_behind_no_adapter_are_locked_and_those_gone_are_retired(house):
    local = Local(Op("notes.local.look.v1", OtherArgs, OPERATIONS["upsert"].answer))
    code = code_of([("qdrant", house.integration), ("notes", local)])
    assert "notes.local.look.v1 is not locked: `butler contracts bump --methods`" in check(house.files, code)
    assert lock_methods(house.files, code) == ["Locked: notes.local.look.v1"]
    assert lock_methods(house.files, code) == ["Every method is as it was locked."]
    assert check(house.files, code) == []
    gone = "notes.local.look.v1 is locked and no module has it any more; bring it back, or retire its id: "
    assert check(house.files, house.code) == [f"{gone}`butler contracts bump --methods`"]
    assert lock_methods(house.files, house.code) == ["Retired: notes.local.look.v1"]
    assert check(house.files, house.code) == []
    changed = Local(Op("notes.local.look.v1", SearchArgs, OPERATIONS["upsert"].answer))
    redefined = code_of([("qdrant", house.integration), ("notes", changed)])
    with pytest.raises(Refuse, match=r"call the new one notes\.local\.look\.v2"):
        lock_methods(house.files, redefined)
    assert any("notes.local.look.v1 is not as it was locked" in fault for fault in check(house.files, redefined))


def test_a_method_that_a_contract_stands_on_is_not_retired_beside_it(house):
    house.ops["search"] = replace(OPERATIONS["search"], method_id="qdrant.points.search.v2")
    (gone,) = [one for one in check(house.files, house.code) if one.startswith("qdrant.points.search.v1 is locked")]
    assert gone.endswith("`butler contracts bump qdrant-vector`")
    assert lock_methods(house.files, house.code) == ["Every method is as it was locked."]
    assert "qdrant.points.search.v1" in read_lock(house.files).methods


def test_methods_are_not_retired_while_a_module_cannot_be_read(house):
    with pytest.raises(Refuse, match="modules/loki cannot be read: why"):
        lock_methods(house.files, replace(house.code, unread={"loki": "why"}))


def test_two_integrations_do_not_share_an_id_for_different_methods(house):
    other = Local(Op("qdrant.points.search.v1", OtherArgs, OPERATIONS["upsert"].answer))
    code = code_of([("qdrant", house.integration), ("notes", other)])
    assert "two integrations have qdrant.points.search.v1 with different schemas; give one of them another id" in check(
        house.files, code
    )


class Killed(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("survives", range(6))
def test_a_kill_amid_a_bump_leaves_nothing_that_passes_for_locked(house, monkeypatch, survives):
    """Whatever was written, the check tells that it is not done; and doing it again ends where one bump would have."""
    house.change("search", args=grown(SearchArgs, filter=(str, "")))
    house.tools = dict.fromkeys(OPERATIONS, "1.1.0")
    steps, before = 0, contents(house)

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
            house.bump()
        except Killed:
            assert check(house.files, house.code) != []
            if contents(house) != before:
                old = load_catalogue(house.files)
                assert set(old.adapters) | set(old.broken) == {ADAPTER}
    house.bump()
    assert check(house.files, house.code) == []
    assert json.loads(house.files.current("qdrant").read_text())["version"] == "1.1.0"
    assert [path.name for path in house.files.kept("qdrant").iterdir()] == ["1.1.0.json"]
