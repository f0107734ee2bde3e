"""Postfix in the foreground in front of Dovecot: takes submissions, delivers, and lets nothing leave the machine.

Mail for other domains goes to a sink of ours on loopback, where a test reads what was sent.
"""

import re
import shutil
import smtplib
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from aiosmtpd.smtp import SMTP, Envelope, Session

from butler_demo.mailbox.records import SentMail, StoredMail
from tests.services.dovecot import Dovecot
from tests.services.lookup import LookupServer
from tests.services.support import (
    Foreground,
    LoopThread,
    accepts,
    free_ports,
    make_folder,
    need_binary,
    need_root,
    wait_until,
)

_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/spool
data_directory = {folder}/data
command_directory = {commands}
daemon_directory = {daemons}
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.home.example
mydestination =
mynetworks =
alias_maps =
alias_database =
notify_classes =
maillog_file = {folder}/mail.log
maillog_file_prefixes = {folder}
virtual_mailbox_domains = {domains}
virtual_mailbox_maps = {mailboxes}
virtual_transport = dovecot
smtpd_tls_cert_file = {tls_folder}/cert.pem
smtpd_tls_key_file = {tls_folder}/key.pem
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = {auth_socket}
smtpd_sasl_authenticated_header = yes
smtpd_peername_lookup = no
smtpd_recipient_restrictions = check_recipient_access {refused}
smtpd_relay_restrictions = permit_sasl_authenticated, reject_unauth_destination
smtpd_error_sleep_time = 0
default_transport = smtp:[127.0.0.1]:{sink}
relay_transport = smtp:[127.0.0.1]:{sink}
smtp_dns_support_level = disabled
import_environment = MAIL_CONFIG MAIL_DEBUG MAIL_LOGTAG TZ LANG=C
"""
_MASTER = """
127.0.0.1:{inbound} inet n - n - - smtpd
  -o smtpd_tls_security_level=may
  -o smtpd_sasl_auth_enable=no
127.0.0.1:{plain} inet n - n - - smtpd
  -o smtpd_tls_security_level=none
  -o smtpd_tls_auth_only=no
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
127.0.0.1:{starttls} inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt
  -o smtpd_tls_auth_only=yes
  -o smtpd_client_restrictions=permit_sasl_authenticated,reject
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
dovecot unix - n n - - pipe
  flags=DRhu user=mail argv={lda} -c {dovecot} -f ${{sender}} -d ${{recipient}}
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
"""
_AUTHENTICATED = re.compile(rb"\(Authenticated sender: ([^)]+)\)")


class _Sink:
    """The rest of the world: takes every mail and writes it down."""

    def __init__(self) -> None:
        self.mails: list[SentMail] = []

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        raw = envelope.original_content or b""
        user = _AUTHENTICATED.search(raw)
        self.mails.append(
            SentMail(
                user=user[1].decode() if user else "",
                mail_from=envelope.mail_from or "",
                rcpt_tos=tuple(envelope.rcpt_tos),
                raw=raw,
                sent_at=datetime.now(UTC),
            ),
        )
        return "250 Taken"


class Postfix:
    """A mail host of Postfix and Dovecot, shaped like the demo's MailServer.

    Where it differs: `outgoing` holds what left for other domains only, with the Received field of the
    host on top; and faults cannot be ordered, but recipients can be refused.
    """

    def __init__(self, dovecot: Dovecot) -> None:
        need_root("Postfix")
        self._postfix = need_binary("postfix")
        self.dovecot = dovecot
        self.authserv_id: str | None = None
        self._folder = make_folder("postfix")
        self._ports = dict(zip(("inbound", "plain", "starttls"), free_ports(3), strict=True))
        self._sink = _Sink()
        self._loop = LoopThread()
        self._listener = self._loop.run(
            self._loop.loop.create_server(
                lambda: SMTP(self._sink, hostname="elsewhere.example", loop=self._loop.loop), "127.0.0.1", 0
            ),
        )
        self._rows: dict[str, dict[str, str]] = {"domains": {}, "mailboxes": {}, "refused": {}}
        self._lookups = {name: LookupServer(rows) for name, rows in self._rows.items()}
        self._configure(self._listener.sockets[0].getsockname()[1])
        # Not `postfix start-fg`: that keeps a shell above the daemon which does not pass signals on.
        subprocess.run([self._postfix, "-c", self._folder, "check"], check=True, capture_output=True)
        self._process = self._started()

    def _started(self) -> Foreground:
        argv = [str(Path(self._default("daemon_directory")) / "master"), "-c", str(self._folder)]
        process = Foreground(argv, self._folder / "postfix.log")
        try:
            process.wait_ready(lambda: all(accepts(port) for port in self._ports.values()))
        except RuntimeError as error:
            raise RuntimeError(f"{error}\n{self._said()}") from error
        return process

    def _said(self) -> str:
        log = self._folder / "mail.log"
        return log.read_text(errors="replace")[-2000:] if log.exists() else "it logged nothing"

    def keep_running(self) -> None:
        """Start it again where it has ended, and show what it said last: why one ended in a run was never found."""
        if not all(accepts(port) for port in self._ports.values()):
            print(f"Postfix had ended:\n{self._process.tail()}\n{self._said()}")
            self._process.stop()
            self._process = self._started()

    def stop(self) -> None:
        self._process.stop()
        for lookup in self._lookups.values():
            self._loop.run(lookup.stop())
        self._loop.loop.call_soon_threadsafe(self._listener.close)
        self._loop.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def imap_url(self) -> str:
        return self.dovecot.imap_url

    @property
    def imaps_url(self) -> str:
        return self.dovecot.imaps_url

    @property
    def smtp_url(self) -> str:
        return f"smtp://127.0.0.1:{self._ports['plain']}"

    @property
    def smtp_starttls_url(self) -> str:
        return f"smtp+starttls://127.0.0.1:{self._ports['starttls']}"

    @property
    def ca_file(self) -> str:
        return self.dovecot.ca_file

    @property
    def outgoing(self) -> list[SentMail]:
        """Every mail that left for another domain, in the order in which it left."""
        return list(self._sink.mails)

    def add_mailbox(self, address: str, password: str, *, token: str | None = None) -> None:
        """A user who can log in, submit and receive; the address's domain becomes one of ours."""
        self.dovecot.add_mailbox(address, password, token=token)
        self._rows["domains"][address.partition("@")[2]] = "ours"
        self._rows["mailboxes"][address] = "ours"

    def set_token(self, address: str, token: str | None) -> None:
        self.dovecot.set_token(address, token)

    def refuse(self, address: str, code: int = 550, text: str = "5.1.1 No such user") -> None:
        """Refuse a recipient from now on."""
        self._rows["refused"][address] = f"{code} {text}"

    def mailbox(self, address: str, folder: str = "INBOX") -> list[StoredMail]:
        return self.dovecot.mailbox(address, folder)

    def empty(self, address: str, folder: str = "INBOX") -> None:
        self.dovecot.empty(address, folder)

    def put(self, address: str, raw: bytes, folder: str = "INBOX", *flags: str) -> StoredMail:
        return self.dovecot.put(address, raw, folder, *flags)

    def deliver(self, raw: bytes, mail_from: str, rcpt_tos: list[str], *, results: str = "") -> list[StoredMail]:
        """A mail from the outside; returns when it lies in the mailboxes.

        With an `authserv_id` the verdict is written on top, as a filter in front of the host does.
        """
        if self.authserv_id is not None:
            raw = f"Authentication-Results: {self.authserv_id}; {results or 'none'}\r\n".encode() + raw
        before = {address: self._newest_uid(address) for address in rcpt_tos}
        with smtplib.SMTP("127.0.0.1", self._ports["inbound"], timeout=60) as client:
            client.sendmail(mail_from, rcpt_tos, raw)
        wait_until(lambda: all(self._newest_uid(address) > uid for address, uid in before.items()), "the delivery")
        return [self.mailbox(address)[-1] for address in rcpt_tos]

    def wait_outgoing(self, count: int) -> list[SentMail]:
        """The outgoing mails once there are `count`; leaving takes Postfix a moment."""
        wait_until(lambda: len(self._sink.mails) >= count, f"outgoing mail {count}")
        return self.outgoing

    def _newest_uid(self, address: str) -> int:
        return max((mail.uid for mail in self.mailbox(address)), default=0)

    def _configure(self, sink: int) -> None:
        (self._folder / "data").mkdir()
        shutil.chown(self._folder / "data", "postfix")
        (self._folder / "spool").mkdir()
        main = _MAIN.format(
            folder=self._folder,
            commands=self._postfix.parent,
            daemons=self._default("daemon_directory"),
            tls_folder=self.dovecot.tls_folder,
            auth_socket=self.dovecot.auth_socket,
            sink=sink,
            **{name: self._loop.run(lookup.start()) for name, lookup in self._lookups.items()},
        )
        master = _MASTER.format(**self._ports, lda=self.dovecot.lda, dovecot=self.dovecot.config)
        (self._folder / "main.cf").write_text(main)
        (self._folder / "master.cf").write_text(master)

    def _default(self, setting: str) -> str:
        argv = [self._postfix.with_name("postconf"), "-d", "-h", setting]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()
