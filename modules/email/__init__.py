from modules.email.module import EmailModule

MODULE = EmailModule
