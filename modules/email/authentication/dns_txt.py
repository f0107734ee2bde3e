# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# dnspython does not annotate its record types.
"""TXT records from DNS, which hold the keys of signatures. Blocks, with short time-outs: call it in a thread."""

from butler.contract.errors import Retryable

LONGEST_S = 5.0


class DnsUnavailableError(Retryable):
    """DNS did not answer."""


def lookup_txt(name: str) -> bytes | None:
    """Return the TXT record of a name; None if there is none. Raise `DnsUnavailableError`."""
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
        # Not a valid name.
        return None
    return next((b"".join(record.strings) for record in answer.rrset or ()), None)
