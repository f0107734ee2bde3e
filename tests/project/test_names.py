"""The static check of names bites, wherever a wrong name stands."""

from scripts.check_names import check_all, check_config, check_prompts, check_python, check_text

REGISTERED = {"bot_email_send_message", "user_telegram_send_message"}
CHANNELS = {"email", "telegram"}


def problems(findings):
    return [finding.problem for finding in findings]


def test_the_project_has_no_wrong_name():
    assert [str(finding) for finding in check_all()] == []


def test_an_unregistered_name_in_any_text_is_found():
    text = "Use `bot_email_sned_message`."  # names: wrong on purpose
    assert problems(check_text("docs/a.md", text, REGISTERED, CHANNELS)) == [
        "bot_email_sned_message is no registered tool"  # names: wrong on purpose
    ]


def test_an_unprefixed_name_of_old_is_found():
    for name in (
        "telegram_send_message",  # names: wrong on purpose
        "email_search_inbox",  # names: wrong on purpose
        "email_check_and_route_inbox",  # names: wrong on purpose
    ):
        found = problems(check_text("docs/a.md", f"call {name} now", REGISTERED, CHANNELS))
        assert found == [f"{name} has no identity: name it user_… or bot_…"]


def test_a_test_that_makes_up_tools_says_so_and_still_may_not_use_an_unprefixed_name():
    text = "# names: made up here\nbot_email_burn"  # names: wrong on purpose
    assert problems(check_text("tests/a.py", text, REGISTERED, CHANNELS)) == []
    assert len(problems(check_text("docs/a.md", text, REGISTERED, CHANNELS))) == 1
    old = "# names: made up here\nemail_send_message"  # names: wrong on purpose
    assert len(problems(check_text("tests/a.py", old, REGISTERED, CHANNELS))) == 1


def test_a_registered_name_and_a_wildcard_pass():
    text = "bot_email_send_message, user_telegram_*, modules.telegram.send"
    assert problems(check_text("docs/a.md", text, REGISTERED, CHANNELS)) == []


def test_a_call_site_with_an_unregistered_tool_is_found():
    code = 'ToolCall(tool="bot_email_burn")\nPlanStep(tool_call="sendMail")\n'  # names: wrong on purpose
    assert problems(check_python("butler/x.py", code, REGISTERED)) == [
        "bot_email_burn is no registered tool",  # names: wrong on purpose
        "'sendMail' breaks the naming rule",
    ]


def test_a_test_may_make_up_a_tool_but_not_a_name_that_breaks_the_rule():
    code = 'ToolCall(tool="bot_example_act")\nToolCall(tool="example_act")\n'
    assert problems(check_python("tests/x.py", code, REGISTERED)) == ["'example_act' breaks the naming rule"]


def test_a_prompt_without_a_tool_and_a_tool_without_a_prompt_are_found():
    paths = [
        "modules/email/prompts/tool_bot_email_send_message.md",
        "modules/email/prompts/tool_bot_email_burn.md",
    ]  # names: wrong on purpose
    assert problems(check_prompts(paths, REGISTERED)) == [
        "bot_email_burn is no registered tool",  # names: wrong on purpose
        "tool_user_telegram_send_message.md is missing",
    ]


def test_a_wrong_key_identity_or_module_in_a_configuration_is_found():
    text = "[modules.email.bot]\nport = 1\n[modules.email.robot]\n[modules.fax.bot]\n"
    assert problems(check_config("a.toml", text, {"email.bot": {"imap"}})) == [
        "[modules.email.bot] has no setting port",
        "[modules.email.robot] is no identity of it",
        "[modules.fax] is no module",
    ]
