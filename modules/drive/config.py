"""`[modules.drive.user]`: the owner's Drive, one account or several."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

from pydantic import Field

from modules._accounts.durations import Seconds
from modules._accounts.settings import FirstAccount, Section, in_use

CREDENTIALS = "USER_DRIVE_OAUTH_JSON"


class DriveSettings(Section):
    """An account at Google Drive, of which files are read and nothing is changed."""

    provider: Literal["google_drive"] = "google_drive"
    """`google_drive`."""
    credentials_env: str = CREDENTIALS
    """The variable that holds google-auth's authorized_user JSON; `butler login drive` seals it under this name."""
    client: str = ""
    """The file of your OAuth client (`client_secret_....json`) as Google gave it; `butler login drive` needs it."""
    api_root: Annotated[str, Field(pattern=r"^https?://[^/?#]+/$")] = "https://www.googleapis.com/"
    """The Drive API's address, with a slash at its end."""
    largest_mb: int = Field(default=50, ge=1)
    """The largest file that is read."""
    most_files: int = Field(default=20, ge=1)
    """Files of a folder that are read at once."""
    depth: int = Field(default=2, ge=1)
    """How many folders down."""
    watch: bool = True
    """Whether it is looked which files have changed, for what is to happen then."""
    poll_interval: Seconds = Field(default=60.0, ge=1.0, le=3600.0)
    """Seconds between two looks for what has changed."""
    push: bool = False
    """Whether Google tells at once what has changed, by the webhook at `[web] public_url`."""
    pushed_poll_interval: Seconds = Field(default=600.0, ge=1.0, le=3600.0)
    """Seconds between two looks while Google tells what has changed."""
    enabled: bool = True
    """Whether it is in use."""


class FirstDriveSettings(FirstAccount[DriveSettings], DriveSettings):
    """The person's first account."""

    variables: ClassVar[Mapping[str, str]] = {"credentials_env": CREDENTIALS}


class DriveModuleSettings(Section):
    """`[modules.drive]`."""

    user: FirstDriveSettings | None = None

    def user_accounts(self) -> dict[str, DriveSettings]:
        """Return the owner's enabled accounts by name, the default one first."""
        return in_use(self.user.account, self.user, self.user.accounts) if self.user is not None else {}
