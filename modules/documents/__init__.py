"""Files that were sent in a chat or attached to a mail."""

from modules.documents.module import DocumentsModule

MODULE = DocumentsModule
