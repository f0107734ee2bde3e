"""The owner's Google Drive."""

from modules.drive.module import DriveModule

MODULE = DriveModule
