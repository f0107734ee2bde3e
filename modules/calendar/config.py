"""`[modules.calendar.user]`: the owner's Google Calendar, one account or several."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from modules._accounts.durations import Seconds
from modules._accounts.settings import FirstAccount, Section, in_use

CREDENTIALS = "USER_CALENDAR_OAUTH_JSON"


class CalendarSettings(Section):
    """An account at Google Calendar, of which events are read, and changed once you approve it."""

    provider: Literal["google_calendar"] = "google_calendar"
    """`google_calendar`."""
    credentials_env: str = CREDENTIALS
    """The variable that holds google-auth's authorized_user JSON; `butler login calendar` seals it under this name."""
    client: str = ""
    """The file of your OAuth client (`client_secret_....json`) as Google gave it; `butler login calendar` needs it."""
    api_root: Annotated[str, Field(pattern=r"^https?://[^/?#]+/$")] = "https://www.googleapis.com/"
    """The Calendar API's address, with a slash at its end."""
    requests_per_minute: int = Field(default=600, ge=10)
    """What Google allows your project for one user; what acts on many events leaves a fifth of it free."""
    watch: bool = True
    """Whether events are kept at hand: for digests, preparations, and what is to happen when one begins or changes."""
    poll_interval: Seconds = Field(default=60.0, ge=1.0, le=3600.0)
    """Seconds between two looks for what has changed."""
    push: bool = False
    """Whether Google tells at once what has changed, by the webhook at `[web] public_url`."""
    pushed_poll_interval: Seconds = Field(default=600.0, ge=1.0, le=3600.0)
    """Seconds between two looks while Google tells what has changed."""
    enabled: bool = True
    """Whether it is in use."""


class FirstCalendarSettings(FirstAccount[CalendarSettings], CalendarSettings):
    """The person's first account."""

    variables: ClassVar[Mapping[str, str]] = {"credentials_env": CREDENTIALS}


class CalendarModuleSettings(Section):
    """`[modules.calendar]`."""

    user: FirstCalendarSettings | None = None

    def user_accounts(self) -> dict[str, CalendarSettings]:
        """Return the owner's enabled accounts by name, the default one first."""
        return in_use(self.user.account, self.user, self.user.accounts) if self.user is not None else {}
