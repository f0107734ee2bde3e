"""What a card is bound to beside its arguments: whom the owner knows by these addresses, and the files by their bytes.

Noted when a call is stored or edited, and compared before the act: what changed in between is not done.
"""

import sqlalchemy as sa

from approvals.frozen import canonical, sha256
from approvals.people import contact_of
from butler.contract.tools import Preview


def bound_to(connection: sa.Connection, preview: Preview) -> str:
    """SHA-256 over the contact behind each recipient (or nobody) and the digest of each file."""
    people = {recipient.address: contact_of(connection, recipient.address) for recipient in preview.recipients}
    files = [[attachment.sha256, attachment.size] for attachment in preview.attachments]
    return sha256(canonical({"people": people, "files": files}))
