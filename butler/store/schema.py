"""The schema that all tables belong to, and column types for both databases."""

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={  # PostgreSQL's own names, so that a later migration can name a constraint on both databases
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    }
)
BigId = sa.BigInteger().with_variant(sa.Integer, "sqlite")
Json = sa.JSON(none_as_null=True)
