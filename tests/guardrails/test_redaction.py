"""What is personal stays with the butler: models see placeholders, and plans get the words back."""

from butler.contract.agents import PlanStep
from butler.guardrails.redaction import masked, redact


def test_a_model_sees_placeholders_and_the_plan_gets_the_words_back() -> None:
    texts, placeholders = redact(["Text anna@friends.example my number +44 20 7946 0958", "and anna@friends.example"])
    assert texts == ["Text [EMAIL_1] my number [PHONE_1]", "and [EMAIL_1]"]
    made = {"to": [{"address": "[EMAIL_1]"}], "body": "Call [PHONE_1].", "count": 2, "sent": None}
    assert placeholders.restore(made) == {
        "to": [{"address": "anna@friends.example"}],
        "body": "Call +44 20 7946 0958.",
        "count": 2,
        "sent": None,
    }


def test_the_steps_of_a_plan_are_restored_as_they_are() -> None:
    (text,), placeholders = redact(["Send 4111 1111 1111 1111 to Anna"])
    step = PlanStep(step_id=1, description=text, tool_call="bot_chat_send", args={"body": text})
    restored = placeholders.restore(step)
    assert isinstance(restored, PlanStep)
    assert restored.args["body"] == "Send 4111 1111 1111 1111 to Anna"


def test_a_request_that_goes_on_keeps_its_placeholders() -> None:
    (first,), placeholders = redact(["a@one.example"])
    (second,), _ = redact(["b@two.example, a@one.example"], placeholders)
    assert (first, second) == ("[EMAIL_1]", "[EMAIL_2], [EMAIL_1]")


def test_a_placeholder_that_the_owner_typed_stays_what_it_is() -> None:
    (text,), placeholders = redact(["What does [EMAIL_1] mean? Mine is me@home.example"])
    assert text == "What does [EMAIL_1] mean? Mine is [EMAIL_2]"
    assert placeholders.restore("[EMAIL_1] and [EMAIL_2]") == "[EMAIL_1] and me@home.example"


def test_a_placeholder_of_nobody_is_left_alone() -> None:
    _, placeholders = redact(["nothing personal"])
    assert placeholders.restore(["[PHONE_7]", ("[X_1]",)]) == ["[PHONE_7]", ("[X_1]",)]


def test_what_stands_for_what_is_not_shown_by_accident() -> None:
    _, placeholders = redact(["mail anna@friends.example"])
    assert "anna" not in repr(placeholders)
    assert len(placeholders) == 1


def test_a_log_tells_the_kind_alone() -> None:
    assert masked("asked by me@home.example at 10:32:11") == "asked by [EMAIL] at 10:32:11"


def test_an_address_on_the_web_is_nobodys_data() -> None:
    assert masked("see https://news.example/a?b=1") == "see https://news.example/a?b=1"
