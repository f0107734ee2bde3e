"""Files in folders of this machine that the settings open."""

from modules.files.module import FilesModule

MODULE = FilesModule
