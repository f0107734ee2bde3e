"""Files in local folders that the settings open."""

from modules.files.module import FilesModule

MODULE = FilesModule
