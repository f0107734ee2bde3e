"""Files that were sent in a chat or came with a mail."""

from modules.documents.module import DocumentsModule

MODULE = DocumentsModule
