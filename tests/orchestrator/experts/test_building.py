"""Each thing that may be wrong with an expert is an error of its own, and no expert is built then."""
# names: made up here

import json
from collections.abc import Callable

import pytest

from butler.contract.errors import ConfigError
from butler.orchestrator.experts import errors
from butler.orchestrator.experts.errors import ExpertError
from tests.orchestrator.experts.harness import NOTE, SEARCH, SEND, Home


def test_an_expert_is_its_body_its_skills_and_a_prompt_for_each_tool(home: Home):
    home.expert("mail", skills=["finding", "sorting"], topics=["mail", "courriel"], fexp_allow_tools=[SEND, SEARCH])
    experts = home.build()
    (expert,) = experts.all
    assert (expert.name, expert.title, expert.description) == ("mail", "Mail", "knows mail")
    assert expert.body == "You are the mail expert of {{ butler_name }}."
    assert expert.skills == ("The skill finding.", "The skill sorting.")
    assert [(one.tool, one.text) for one in expert.tools] == [
        (SEND, f"What {SEND} is for."),
        (SEARCH, f"What {SEARCH} is for."),
    ]
    assert expert.topics == ("mail", "courriel")
    assert expert.allows(SEND)
    assert not expert.allows(NOTE)
    assert experts.called("mail") is expert
    assert experts.called("tax") is None


def no_prompt(home: Home) -> None:
    home.install(SEARCH, SEND, NOTE, "bot_tax_file")
    home.expert("mail", fexp_allow_tools=["bot_tax_file"])


def not_installed(home: Home) -> None:
    home.install(SEND, NOTE)
    home.expert("mail", fexp_allow_tools=[SEARCH])


def allowed_and_blocked(home: Home) -> None:
    home.expert("mail", fexp_allow_tools=[SEARCH, SEND], fexp_block_tools=[SEND])


def blocked_by_a_pattern(home: Home) -> None:
    home.expert("mail", fexp_allow_tools=[SEARCH], fexp_block_tools=["user_*"])


def wildcard(home: Home) -> None:
    home.expert("mail", fexp_allow_tools=["user_email_*"])


def unknown_tool(home: Home) -> None:
    home.expert("mail", fexp_allow_tools=["user_email_serach_inbox"])


def unknown_blocked_tool(home: Home) -> None:
    home.expert("mail", fexp_block_tools=["user_emial_send_message"])


def unknown_key(home: Home) -> None:
    home.expert("mail", fexp_alow_tools=[])


def no_tools(home: Home) -> None:
    home.expert("mail", fexp_allow_tools=[])


def same_tool_twice(home: Home) -> None:
    home.expert("mail", fexp_allow_tools=[SEARCH, SEARCH])


def skill_out_of_the_folder(home: Home) -> None:
    home.expert("mail", skills=[])
    path = home.experts / "mail" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"skills": ["../../secrets"]}))


def no_json(home: Home) -> None:
    (home.expert("mail") / "manifest.json").write_text("{")


def json_without_end(home: Home) -> None:
    (home.expert("mail") / "manifest.json").write_text("[" * 200_000)


def no_body(home: Home) -> None:
    (home.expert("mail") / "body.md").unlink()


def empty_body(home: Home) -> None:
    (home.expert("mail") / "body.md").write_text(" \n")


def empty_prompt(home: Home) -> None:
    home.prompt(SEARCH, "\n")
    home.expert("mail")


def no_skill(home: Home) -> None:
    (home.expert("mail", skills=["finding"]) / "skills" / "finding.md").unlink()


def two_of_one_name(home: Home) -> None:
    home.expert("mail", folder="one")
    home.expert("mail", folder="two")


def no_such_placeholder(home: Home) -> None:
    (home.expert("mail") / "body.md").write_text("Hello {{ owner }}")


def code_in_a_placeholder(home: Home) -> None:
    home.prompt(SEARCH, "{{ butler_name.__class__ }}")
    home.expert("mail")


def statement(home: Home) -> None:
    (home.expert("mail", skills=["x"]) / "skills" / "x.md").write_text("{% include 'secrets.env' %}")


def prompt_of_a_tool_that_nobody_may_use(home: Home) -> None:
    home.prompt("bot_tax_file")


@pytest.mark.parametrize(
    ("broken", "kind", "said"),
    [
        (no_prompt, errors.PromptMissingError, "write modules/tax/prompts/tool_bot_tax_file.md"),
        (not_installed, errors.NotInstalledError, SEARCH),
        (prompt_of_a_tool_that_nobody_may_use, errors.NotInstalledError, "bot_tax_file"),
        (allowed_and_blocked, errors.AllowedAndBlockedError, SEND),
        (blocked_by_a_pattern, errors.AllowedAndBlockedError, SEARCH),
        (wildcard, errors.WildcardError, "user_email_*"),
        (unknown_tool, errors.NoSuchToolError, "user_email_serach_inbox"),
        (unknown_blocked_tool, errors.NoSuchToolError, "user_emial_send_message"),
        (unknown_key, errors.ExpertManifestError, "fexp_alow_tools"),
        (no_tools, errors.ExpertManifestError, "fexp_allow_tools"),
        (same_tool_twice, errors.ExpertManifestError, "stands there twice"),
        (skill_out_of_the_folder, errors.ExpertManifestError, "skills"),
        (no_json, errors.ExpertManifestError, "no JSON"),
        (json_without_end, errors.ExpertManifestError, "no JSON that can be read"),
        (no_body, errors.ExpertFileError, "body.md: there is no such file"),
        (empty_body, errors.ExpertFileError, "body.md is empty"),
        (empty_prompt, errors.ExpertFileError, f"tool_{SEARCH}.md is empty"),
        (no_skill, errors.ExpertFileError, "finding.md"),
        (two_of_one_name, errors.TwoExpertsError, "mail"),
        (no_such_placeholder, errors.PlaceholderError, "{{ owner }}"),
        (code_in_a_placeholder, errors.PlaceholderError, "butler_name.__class__"),
        (statement, errors.PlaceholderError, "{%"),
    ],
)
def test_a_fault_is_an_error_of_its_own(home: Home, broken: Callable[[Home], None], kind: type[ExpertError], said: str):
    broken(home)
    with pytest.raises(kind) as raised:
        home.build()
    assert type(raised.value) is kind
    assert isinstance(raised.value, ConfigError)
    assert said in str(raised.value)
    assert [type(fault) for fault in home.faults()] == [kind]


def test_all_faults_are_told_at_once(home: Home):
    home.expert("mail", fexp_allow_tools=["user_*"])
    home.expert("notes", fexp_allow_tools=[NOTE], fexp_block_tools=[NOTE])
    (home.expert("tax") / "body.md").unlink()
    kinds = [errors.WildcardError, errors.AllowedAndBlockedError, errors.ExpertFileError]
    assert [type(fault) for fault in home.faults()] == kinds


def test_one_files_fault_hides_no_other_of_the_same_expert(home: Home):
    place = home.expert("mail", fexp_allow_tools=["user_*"], skills=["manners"])
    (place / "body.md").unlink()
    (place / "skills" / "manners.md").unlink(missing_ok=True)
    assert [type(fault) for fault in home.faults()] == [
        errors.WildcardError,
        errors.ExpertFileError,
        errors.ExpertFileError,
    ]


def test_an_own_expert_joins_the_shipped_ones_or_takes_the_place_of_one(home: Home):
    home.expert("mail")
    home.expert("notes", fexp_allow_tools=[NOTE])
    home.expert("mail", place=home.own, description="mine", fexp_allow_tools=[SEND])
    home.expert("tax", place=home.own)
    found = home.build(home.own)
    assert [(one.name, one.description) for one in found.all] == [
        ("mail", "mine"),
        ("notes", "knows notes"),
        ("tax", "knows tax"),
    ]


def test_an_own_folder_may_install_tools_of_own_modules_and_is_held_to_the_same_rules(home: Home):
    home.prompt("bot_tax_file")
    home.expert("tax", place=home.own, fexp_allow_tools=["bot_tax_file"])
    with pytest.raises(errors.NotInstalledError):
        home.build(home.own)
    (home.own / "manifest.json").write_text(json.dumps({"tools": ["bot_tax_file"]}))
    assert home.build(home.own).installed == {SEARCH, SEND, NOTE, "bot_tax_file"}
    home.expert("more", place=home.own, fexp_allow_tools=["bot_*"])
    with pytest.raises(errors.WildcardError):
        home.build(home.own)


def test_a_folder_that_is_not_there_is_told(home: Home):
    with pytest.raises(errors.ExpertFileError, match="is no folder"):
        home.build(home.own / "nowhere")
