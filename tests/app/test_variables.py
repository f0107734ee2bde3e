"""The log cuts out every secret that some setting names, however deep it stands, and named or by default."""

from pathlib import Path

from butler.secret_names import secret_names, variables
from config.load import load
from modules.email.config import EmailSettings
from modules.telegram.config import TelegramSettings


def test_the_sections_of_further_accounts_are_looked_into(tmp_path: Path):
    config = tmp_path / "butler.toml"
    config.write_text(
        """[llm]
api_key_env = "MY_KEY"
[modules.telegram.user]
credentials_env = "FIRST"
[modules.telegram.user.accounts.work]
credentials_env = "SECOND"
[modules.email.user.accounts.work]
password_env = "THIRD"
address_env = "AN_ADDRESS"
"""
    )
    assert set(secret_names(load(config, {}))) == {"MY_KEY", "BUTLER_KEY", "FIRST", "SECOND", "THIRD"}


def test_variables_that_hold_by_default_are_known_from_the_checked_settings():
    telegram = TelegramSettings.model_validate({"bot": {}, "user": {"api_id": 1, "accounts": {"work": {}}}})
    assert set(variables(telegram)) == {
        "BUTLER_TELEGRAM_TOKEN",
        "USER_TELEGRAM_SESSION",
        "USER_TELEGRAM_SESSION_WORK",
        "USER_TELEGRAM_API_HASH",
    }
    email = EmailSettings.model_validate({"user": {"accounts": {"work": {}}}})
    assert set(variables(email)) == {"USER_EMAIL_OAUTH_JSON", "USER_EMAIL_OAUTH_JSON_WORK"}
