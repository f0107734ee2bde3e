"""`butler init` asks, tries each answer live, and writes what works."""
# ruff: noqa: ASYNC240 - a test may wait for a small file

import stat
import tomllib
from pathlib import Path

from config.load import load
from tests.cli.conftest import ADDRESS, PASSWORD, TOKEN


def typed(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


async def test_a_newcomer_answers_the_questions_and_gets_a_bot_to_pair(butler, telegram, mail):
    result = await butler(
        "init",
        "--api-base-url",
        telegram.url,
        "--tls-ca",
        mail.ca_file,
        typed=typed(
            "Jeeves",
            "Europe/London",
            "me@home.example, me@work.example",
            TOKEN,
            ADDRESS,
            mail.imaps_url,
            mail.smtp_starttls_url,
            PASSWORD,
            "embedded",
        ),
    )
    assert result.exit_code == 0, result.output
    loaded = load(Path("butler.toml"))
    assert loaded.settings.butler.timezone == "Europe/London"
    assert loaded.settings.owner.emails == ("me@home.example", "me@work.example")
    assert loaded.secrets["BUTLER_TELEGRAM_TOKEN"] == TOKEN
    assert loaded.secrets["BUTLER_EMAIL_PASSWORD"] == PASSWORD
    assert stat.S_IMODE(Path("secrets.env").stat().st_mode) == 0o600
    assert "Telegram knows it as @jeeves_bot." in result.stdout
    assert "/start " in result.stdout
    assert "https://t.me/jeeves_bot" in result.stdout
    for login in ("login telegram", "login gmail", "login mail"):
        assert f"butler {login}" in result.stdout
    assert (await butler("config", "check")).exit_code == 0


async def test_who_has_gmail_only_is_pointed_to_no_other_sign_in_for_mail(butler, telegram):
    result = await butler(
        "init",
        *("--api-base-url", telegram.url, "--timezone", "UTC", "--emails", "me@gmail.com", "--model", "embedded"),
        typed=typed("", TOKEN, ""),
    )
    assert result.exit_code == 0, result.output
    assert "butler login gmail" in result.stdout
    assert "butler login mail" not in result.stdout


async def test_no_secret_is_shown_or_stands_in_the_configuration(butler, telegram, mail):
    result = await butler(
        "init",
        *("--api-base-url", telegram.url, "--tls-ca", mail.ca_file, "--imap", mail.imaps_url),
        *("--smtp", mail.smtp_starttls_url, "--timezone", "UTC"),
        typed=typed("", "", TOKEN, ADDRESS, PASSWORD, ""),
    )
    assert result.exit_code == 0, result.output
    for secret in (TOKEN, PASSWORD):
        assert secret not in result.output
        assert secret not in Path("butler.toml").read_text()


async def test_a_refused_token_can_be_pasted_again(butler, telegram):
    result = await butler(
        "init",
        *("--api-base-url", telegram.url, "--timezone", "UTC", "--emails", "", "--model", "embedded"),
        typed=typed("", "700123:wrong", TOKEN, ""),
    )
    assert result.exit_code == 0, result.output
    assert "Not yet: Telegram does not accept the bot's token" in result.stdout
    assert "Paste it again, or leave it empty to skip." in result.stdout
    assert load(Path("butler.toml")).secrets["BUTLER_TELEGRAM_TOKEN"] == TOKEN


async def test_a_token_that_never_works_can_be_skipped(butler, telegram):
    result = await butler(
        "init",
        *("--api-base-url", telegram.url, "--timezone", "UTC", "--emails", "", "--model", "embedded"),
        typed=typed("", "700123:wrong", "", ""),
    )
    assert result.exit_code == 0, result.output
    assert "700123" not in Path("secrets.env").read_text()
    assert "Without a bot Butler cannot talk with you." in result.stdout


async def test_a_wrong_mail_password_can_be_corrected(butler, telegram, mail):
    result = await butler(
        "init",
        *("--api-base-url", telegram.url, "--tls-ca", mail.ca_file, "--timezone", "UTC", "--emails", ""),
        *("--imap", mail.imaps_url, "--smtp", mail.smtp_starttls_url, "--model", "embedded"),
        typed=typed("", TOKEN, ADDRESS, "wrong", "y", "", "", "", PASSWORD),
    )
    assert result.exit_code == 0, result.output
    assert f"refused the login of {ADDRESS}" in result.stdout
    assert load(Path("butler.toml")).secrets["BUTLER_EMAIL_PASSWORD"] == PASSWORD


async def test_a_time_zone_that_is_none_is_asked_again_with_what_may_be_meant(butler, telegram):
    result = await butler(
        "init",
        *("--api-base-url", telegram.url, "--emails", "", "--model", "embedded"),
        typed=typed("", "Europe/Londn", "europe/london", "", ""),
    )
    assert result.exit_code == 0, result.output
    assert "'Europe/Londn' is no IANA time zone; write it like Europe/London" in result.stdout
    assert load(Path("butler.toml")).settings.butler.timezone == "Europe/London"


async def test_a_script_needs_no_terminal(butler, telegram, mail):
    result = await butler(
        "init",
        "--no-input",
        *("--name", 'The "good" Butler', "--timezone", "UTC", "--emails", "me@home.example"),
        *("--api-base-url", telegram.url, "--mail-address", ADDRESS, "--tls-ca", mail.ca_file),
        *("--imap", mail.imaps_url, "--smtp", mail.smtp_starttls_url, "--data-dir", "kept"),
        BUTLER_TELEGRAM_TOKEN=TOKEN,
        BUTLER_EMAIL_PASSWORD=PASSWORD,
    )
    assert result.exit_code == 0, result.output
    raw = tomllib.loads(Path("butler.toml").read_text())
    assert raw["butler"]["name"] == 'The "good" Butler'
    assert raw["modules"]["email"]["bot"]["imap"] == mail.imaps_url
    assert Path("kept/butler.db").exists()
    assert load(Path("butler.toml"), {}).secrets["BUTLER_TELEGRAM_TOKEN"] == TOKEN


async def test_a_script_without_secrets_gets_a_file_for_them_that_only_its_owner_can_read(butler):
    result = await butler("init", "--no-input")
    assert result.exit_code == 0, result.output
    secrets = Path("secrets.env")
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o600
    assert all(line.startswith("#") for line in secrets.read_text().splitlines())
    assert "Wrote butler.toml and secrets.env (for you only).\n" in result.stdout
    assert "Write secrets into secrets.env as NAME=value, a line each.\n" in result.stdout


async def refused(butler, *options: str, **environment: str) -> str:
    """The one sentence on stderr of an `init` without a terminal; nothing was written."""
    result = await butler("init", "--no-input", *options, **environment)
    assert result.exit_code == 1, result.output
    assert result.stderr.count("\n") == 1
    assert not Path("butler.toml").exists()
    assert not Path("secrets.env").exists()
    return result.stderr


async def test_a_script_with_a_wrong_token_hears_it_in_one_sentence(butler, telegram):
    said = await refused(butler, "--api-base-url", telegram.url, BUTLER_TELEGRAM_TOKEN="700123:wrong")
    assert "Telegram does not accept the bot's token" in said
    assert "700123:wrong" not in said


async def test_a_script_hears_that_telegram_cannot_be_reached(butler, telegram):
    await telegram.go_offline()
    said = await refused(butler, "--api-base-url", telegram.url, BUTLER_TELEGRAM_TOKEN=TOKEN)
    assert "Telegram cannot be reached" in said


async def test_a_script_hears_that_the_mail_server_cannot_be_reached(butler, mail):
    await mail.go_offline()
    said = await refused(
        butler,
        *("--mail-address", ADDRESS, "--imap", mail.imaps_url, "--smtp", mail.smtp_starttls_url),
        BUTLER_EMAIL_PASSWORD=PASSWORD,
    )
    assert "the mail server cannot be reached" in said


async def test_a_script_with_a_wrong_time_zone_or_address_hears_it(butler):
    assert "no IANA time zone" in await refused(butler, "--timezone", "Mars/Olympus")
    assert "is no mail address" in await refused(butler, "--emails", "me at home")


async def test_an_unknown_option_is_wrong_usage(butler):
    assert (await butler("init", "--tokn", "x")).exit_code == 2


async def test_what_is_there_is_not_overwritten_unasked(butler):
    Path("butler.toml").write_text("# mine\n")
    said = await butler("init", "--no-input")
    assert (said.exit_code, Path("butler.toml").read_text()) == (1, "# mine\n")
    assert "say --force" in said.stderr
    said = await butler("init", typed=typed("n"))
    assert (said.exit_code, Path("butler.toml").read_text()) == (1, "# mine\n")


async def test_what_is_overwritten_is_kept_beside_and_other_secrets_stay(butler, telegram):
    Path("butler.toml").write_text("# mine\n")
    secrets = Path("secrets.env")
    secrets.write_text("# of mine\nOTHER=1\nBUTLER_TELEGRAM_TOKEN=old:token")
    secrets.chmod(0o600)
    result = await butler("init", "--no-input", "--force", "--api-base-url", telegram.url, BUTLER_TELEGRAM_TOKEN=TOKEN)
    assert result.exit_code == 0, result.output
    assert Path("butler.toml.old").read_text() == "# mine\n"
    assert secrets.read_text() == f"# of mine\nOTHER=1\nBUTLER_TELEGRAM_TOKEN={TOKEN}\n"


async def test_a_secrets_file_that_others_can_read_is_refused(butler):
    secrets = Path("secrets.env")
    secrets.write_text("A=1\n")
    secrets.chmod(0o640)
    result = await butler("init", "--no-input")
    assert result.exit_code == 1
    assert "chmod 600" in result.stderr


async def test_a_terminal_that_is_closed_in_between_leaves_nothing_behind(butler, tmp_path):
    result = await butler("init", typed=typed("Jeeves"))
    assert result.exit_code == 1
    assert list(tmp_path.iterdir()) == []
