"""A PostgreSQL database of the person's, or one at Supabase."""

from modules.postgres.module import PostgresModule

MODULE = PostgresModule
