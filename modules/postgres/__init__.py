"""The owner's PostgreSQL database, also at Supabase."""

from modules.postgres.module import PostgresModule

MODULE = PostgresModule
