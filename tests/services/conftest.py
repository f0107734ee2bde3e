"""The fixtures of the real servers for their own tests."""

from tests.services.plugin import dovecot, postfix, postgres

__all__ = ["dovecot", "postfix", "postgres"]
