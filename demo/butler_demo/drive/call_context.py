"""What a Drive operation gets of a checked call, and what several operations do with it."""

from dataclasses import dataclass

from butler_demo.drive.cabinet import Cabinet
from butler_demo.drive.records import ShareNotice, StoredFile
from butler_demo.drive.views import USUAL_FIELDS, at_least, file_view
from butler_demo.google.call import Call, Json
from butler_demo.google.channels import Channels
from butler_demo.google.errors import GoogleError

_SCOPE = "https://www.googleapis.com/auth/drive"
_OWN_FILES_SCOPE = frozenset({f"{_SCOPE}.file", f"{_SCOPE}.appdata"})
_CONTENT_SCOPES = frozenset({_SCOPE, f"{_SCOPE}.readonly", f"{_SCOPE}.file"})


@dataclass(frozen=True)
class CallContext(Call):
    """One checked call on the files that the token's account sees."""

    cabinet: Cabinet
    notices: list[ShareNotice]
    channels: Channels

    def file(self, role: str = "reader", name: str = "fileId") -> StoredFile:
        """Return the file that a parameter names. Raises GoogleError 404 and 403."""
        return self.file_by_id(self.text(name), role)

    def file_by_id(self, file_id: str, role: str = "reader") -> StoredFile:
        """Return a file for which the account has this role. Raises GoogleError 404 and 403."""
        file = self.cabinet.get(self.cabinet.root_of(self.address) if file_id == "root" else file_id)
        held = self.cabinet.role(file, self.address) if file else ""
        has_to_know = file is not None and file.drive_id and "supportsAllDrives" in self.operation.parameters
        if has_to_know and self.parameters.get("supportsAllDrives") is not True:
            held = ""
        if file is None or not held or not self.reaches(file):
            location = {"locationType": "parameter", "location": "fileId"}
            raise GoogleError(404, "notFound", f"File not found: {file_id}.", location=location)
        if not at_least(held, role):
            message = "The user does not have sufficient permissions for this file."
            raise GoogleError(403, "insufficientFilePermissions", message)
        return file

    def reaches(self, file: StoredFile) -> bool:
        """Whether the token's scopes reach the file: `drive.file` reaches what the client itself made."""
        wider = self.scopes & self.operation.scopes - _OWN_FILES_SCOPE
        return bool(wider) or file.by_app or file.id == self.cabinet.root_of(self.address)

    def may_read_content(self) -> bool:
        """Whether the token's scopes reach content, and not only what is said about it."""
        return not self.scopes.isdisjoint(_CONTENT_SCOPES)

    def view(self, file: StoredFile) -> Json:
        """Return a file as the caller sees it, in few words where no fields are named."""
        whole = file_view(file, self.cabinet, self.address)
        return whole if self.selected else {name: whole[name] for name in USUAL_FIELDS}
