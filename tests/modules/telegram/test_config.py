"""The settings: what is wrong is said in a sentence that helps."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from modules.telegram.config import DataCentre, TelegramSettings


def test_the_settings_of_the_design_are_taken() -> None:
    settings = TelegramSettings.model_validate(
        {
            "bot": {
                "provider": "telegram_bot_api",
                "token_env": "BUTLER_TELEGRAM_TOKEN",
                "api_base_url": "https://api.telegram.org/",
                "mode": "polling",
                "enabled": True,
            },
            "user": {
                "provider": "telegram_client",
                "credentials_env": "USER_TELEGRAM_SESSION",
                "dc": "2 127.0.0.1:4430 /keys/dc key.pem",
                "enabled": True,
            },
        }
    )

    assert settings.bot is not None
    assert settings.bot.api_base_url == "https://api.telegram.org"
    assert settings.user is not None
    assert settings.user.data_centre == DataCentre(2, "127.0.0.1", 4430, Path("/keys/dc key.pem"))


@pytest.mark.parametrize(
    ("section", "complaint"),
    [
        ({"bot": {"mode": "pooling"}}, 'set mode = "polling" or mode = "webhook"'),
        ({"bot": {"webhook_connections": 101}}, "less than or equal to 100"),
        ({"bot": {"token": "1:a"}}, "Extra inputs"),
        ({"bots": {}}, "Extra inputs"),
        ({"bot": {"api_base_url": "api.telegram.org"}}, "https://HOST"),
        ({"user": {"dc": "somewhere"}}, "ID HOST:PORT PUBLIC_KEY_FILE"),
        ({"user": {"api_id": -1}}, "greater than or equal to 0"),
    ],
)
def test_a_setting_that_cannot_work_is_refused(section: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        TelegramSettings.model_validate(section)
