"""Dovecot in the foreground on high loopback ports, in a folder of its own, shaped like the demo's MailServer."""

import imaplib
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from butler_demo.mailbox.records import StoredMail
from butler_demo.mailbox.tls import issue_certificate
from tests.services.introspection import Introspection
from tests.services.support import (
    Foreground,
    accepts,
    free_ports,
    make_folder,
    need_binary,
    need_root,
    unavailable,
    wait_until,
)

_CONFIG = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = /dev/stderr
listen = 127.0.0.1
protocols = imap
ssl = yes
ssl_cert = <{folder}/cert.pem
ssl_key = <{folder}/key.pem
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2
auth_failure_delay = 0
first_valid_uid = 1
mail_uid = mail
mail_gid = mail
mail_location = maildir:~/Maildir
mail_max_userip_connections = 100
namespace inbox {{
  inbox = yes
  separator = /
  mailbox Archive {{
    special_use = \\Archive
    auto = subscribe
  }}
  mailbox Drafts {{
    special_use = \\Drafts
    auto = subscribe
  }}
  mailbox Sent {{
    special_use = \\Sent
    auto = subscribe
  }}
  mailbox Trash {{
    special_use = \\Trash
    auto = subscribe
  }}
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {folder}/oauth2.conf
}}
passdb {{
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN username_format=%Lu {folder}/users/%Lu
}}
userdb {{
  driver = static
  args = uid=mail gid=mail home={folder}/mail/%Lu allow_all_users=yes
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap}
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service auth {{
  unix_listener {folder}/auth-smtp {{
    mode = 0666
  }}
}}
service anvil {{
  chroot =
  # No growing delay after failed logins, since all clients share one address.
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
  unix_listener stats-writer {{
    mode = 0666
  }}
}}
"""
_OAUTH2 = """
introspection_mode = post
introspection_url = {url}
username_attribute = email
active_attribute = active
active_value = true
"""


class Dovecot:
    """A running Dovecot 2.3. `auth_socket`, `lda` and `config` are what a server that delivers needs of it."""

    def __init__(self) -> None:
        need_root("Dovecot")
        binary = need_binary("dovecot")
        version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout
        if not version.startswith("2.3."):
            unavailable(f"Dovecot 2.3 is needed, this is {version.strip()}")
        self._folder = make_folder("dovecot")
        self._passwords: dict[str, str] = {}
        self._moments = count(1)
        self._introspection = Introspection()
        self._imap, self._imaps = free_ports(2)
        issue_certificate(self._folder)
        self.lda = need_binary("dovecot-lda", Path("/usr/lib/dovecot"), Path("/usr/libexec/dovecot"))
        self.auth_socket = self._folder / "auth-smtp"
        (self._folder / "mail").mkdir()
        shutil.chown(self._folder / "mail", "mail", "mail")
        self._users = self._folder / "users"
        self._users.mkdir()
        (self._folder / "oauth2.conf").write_text(_OAUTH2.format(url=self._introspection.url))
        self.config = self._folder / "dovecot.conf"
        self.config.write_text(_CONFIG.format(folder=self._folder, imap=self._imap, imaps=self._imaps))
        self._process = Foreground([str(binary), "-F", "-c", str(self.config)], self._folder / "dovecot.log")
        self._process.wait_ready(lambda: accepts(self._imap) and self.auth_socket.exists())

    def stop(self) -> None:
        self._process.stop()
        self._introspection.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def imap_url(self) -> str:
        return f"imap://127.0.0.1:{self._imap}"

    @property
    def imaps_url(self) -> str:
        return f"imaps://127.0.0.1:{self._imaps}"

    @property
    def ca_file(self) -> str:
        return str(self._folder / "ca.pem")

    @property
    def tls_folder(self) -> Path:
        """Where `cert.pem` and `key.pem` of this host lie."""
        return self._folder

    def add_mailbox(self, address: str, password: str, *, token: str | None = None) -> None:
        """A user with INBOX, Archive, Drafts, Sent and Trash; `token` is what XOAUTH2 accepts."""
        known = self._passwords.get(address, password)
        self._passwords[address] = password
        # A file each, because Dovecot looks at a file it knows at most once a second.
        (self._users / address.lower()).write_text(f"{address.lower()}:{{PLAIN}}{password}\n")
        self.set_token(address, token)
        if known != password:
            wait_until(lambda: self._lets_in(address), "the password of a mailbox that is used again")

    def set_password(self, address: str, password: str) -> None:
        """Replace a user's password; returns once the old one is refused."""
        self._passwords[address] = password
        (self._users / address.lower()).write_text(f"{address.lower()}:{{PLAIN}}{password}\n")
        wait_until(lambda: self._lets_in(address), "the new password")

    def _lets_in(self, address: str) -> bool:
        client = imaplib.IMAP4("127.0.0.1", self._imap, timeout=60)
        try:
            client.login(address, self._passwords[address])
        except imaplib.IMAP4.error:
            return False
        finally:
            client.logout()
        return True

    def kick(self, address: str) -> None:
        """End every connection of a user."""
        self._admin("kick", address)

    def change_uidvalidity(self, address: str) -> None:
        """Give INBOX another UIDVALIDITY, as a mailbox has that was restored; who has it open is cut."""
        at = str(int(time.time()) + next(self._moments))
        self._admin("mailbox", "update", "-u", address, "--uid-validity", at, "INBOX")
        self.kick(address)

    def _admin(self, *command: str) -> None:
        argv = [str(need_binary("doveadm")), "-c", str(self.config), *command]
        # Nobody to kick is an error to it, and none here.
        subprocess.run(argv, check=False, capture_output=True)

    def maildir(self, address: str) -> Path:
        """Where INBOX lies on disk, for mails by the thousand; whoever writes there calls `own` afterwards."""
        return self._folder / "mail" / address.lower() / "Maildir"

    def own(self, address: str) -> None:
        """Give all that was written into a mailbox's folder to the server's user."""
        home = self.maildir(address).parent
        subprocess.run(["chown", "-R", "mail:mail", str(home)], check=True)

    def set_token(self, address: str, token: str | None) -> None:
        """Replace the OAuth token of a user, as expiry and refresh do."""
        self._introspection.set_token(address, token)

    def put(self, address: str, raw: bytes, folder: str = "INBOX", *flags: str) -> StoredMail:
        """A mail laid into a folder as it is."""
        with self._login(address) as client:
            _, answer = client.append(folder, f"({' '.join(flags)})", "", raw)
        appended = re.search(rb"APPENDUID \d+ (\d+)", answer[0])
        assert appended is not None, answer
        return next(mail for mail in self.mailbox(address, folder) if mail.uid == int(appended[1]))

    def mailbox(self, address: str, folder: str = "INBOX") -> list[StoredMail]:
        """The mails of a folder in the order of their UIDs; reading changes nothing."""
        with self._login(address) as client:
            result, _ = client.select(f'"{folder}"', readonly=True)
            if result != "OK":
                raise KeyError(folder)
            _, answers = client.uid("FETCH", "1:*", "(UID FLAGS INTERNALDATE BODY.PEEK[])")
        return [_stored(*answer) for answer in answers if isinstance(answer, tuple)]

    def empty(self, address: str, folder: str = "INBOX") -> None:
        """Delete every mail of a folder, so that what earlier tests left is not taken for what waits there."""
        with self._login(address) as client:
            client.select(f'"{folder}"')
            client.uid("STORE", "1:*", "+FLAGS", r"(\Deleted)")
            client.expunge()

    @contextmanager
    def _login(self, address: str) -> Iterator[imaplib.IMAP4]:
        client = imaplib.IMAP4("127.0.0.1", self._imap, timeout=60)
        client.login(address, self._passwords[address])
        try:
            yield client
        finally:
            client.logout()


def _stored(head: bytes, raw: bytes) -> StoredMail:
    uid = re.search(rb"UID (\d+)", head)
    date = imaplib.Internaldate2tuple(head)
    assert uid is not None, head
    assert date is not None, head
    flags = frozenset(flag.decode() for flag in imaplib.ParseFlags(head))
    return StoredMail(int(uid[1]), raw, flags, datetime.fromtimestamp(time.mktime(date), UTC))
