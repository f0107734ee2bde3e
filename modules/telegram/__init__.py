from modules.telegram.module import TelegramModule

MODULE = TelegramModule
