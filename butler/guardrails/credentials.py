"""Patterns of credentials: those of detect-secrets, without its entropy checks, and our own.

Of the package, only the patterns are used, not the scanner, which reads files; it is imported once, on first use.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module

from butler.guardrails.kinds import API_KEY
from butler.guardrails.patterns import Pattern, is_linear
from butler.guardrails.reading import patterns_of

_PLUGINS = (
    ("artifactory", "ArtifactoryDetector"),
    ("aws", "AWSKeyDetector"),
    ("azure_storage_key", "AzureStorageKeyDetector"),
    ("basic_auth", "BasicAuthDetector"),
    ("cloudant", "CloudantDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("ibm_cloud_iam", "IbmCloudIamDetector"),
    ("ibm_cos_hmac", "IbmCosHmacDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("openai", "OpenAIDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("softlayer", "SoftlayerDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
_LOOKAROUND = re.compile(r"\(\?<?[=!][^()]*\)")


@lru_cache(maxsize=1)
def credentials() -> tuple[Pattern, ...]:
    """Return all patterns of credentials: our own kinds first, then those of detect-secrets."""
    return (*patterns_of("credentials"), *_of_detect_secrets())


def _of_detect_secrets() -> Iterator[Pattern]:
    for module, name in _PLUGINS:
        plugin = getattr(import_module(f"detect_secrets.plugins.{module}"), name)
        for regex in plugin.denylist:
            flags = "(?i)" if regex.flags & re.IGNORECASE else ""
            # RE2 has no look-around. Without it, a pattern finds a little more, never less.
            plain = flags + _LOOKAROUND.sub("", regex.pattern)
            if is_linear(plain):
                yield Pattern(API_KEY, plain, "has_digit", whole=regex.groups == 0)
