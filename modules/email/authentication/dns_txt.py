# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# dnspython leaves the kinds of records without annotations.
"""TXT records from DNS: where the keys of signatures stand. Blocking, with short time-outs: call it in a thread."""

from butler.contract.errors import Retryable

LONGEST_S = 5.0


class DnsUnavailableError(Retryable):
    """DNS did not answer."""


def lookup_txt(name: str) -> bytes | None:
    """The TXT record of a name; None where there is none. Raises `DnsUnavailableError`."""
    import dns.exception  # noqa: PLC0415 - only where somebody claims to be the owner
    import dns.rdatatype  # noqa: PLC0415 - the same
    import dns.resolver  # noqa: PLC0415 - the same

    try:
        answer = dns.resolver.resolve(name, dns.rdatatype.TXT, raise_on_no_answer=False, lifetime=LONGEST_S)
    except dns.resolver.NXDOMAIN:
        return None
    except (dns.exception.Timeout, dns.resolver.NoNameservers, dns.resolver.NoResolverConfiguration, OSError) as error:
        raise DnsUnavailableError from error
    except dns.exception.DNSException:
        # A name that cannot be one.
        return None
    return next((b"".join(record.strings) for record in answer.rrset or ()), None)
