"""A statement ends where its writer thinks: neither a semicolon nor a comment behind it is part of the query."""

import pytest

from modules.postgres.endings import without_ending
from tests.modules.postgres.conftest import Ask


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("SELECT 1;--x", "SELECT 1"),
        ("SELECT 1 -- all\n", "SELECT 1"),
        ("SELECT 1 ; /* a /* nested */ one */ ;\n", "SELECT 1"),
        ("SELECT 1 /* without end", "SELECT 1"),
        ("SELECT ';--x'", "SELECT ';--x'"),
        ("SELECT 'it''s;--x'", "SELECT 'it''s;--x'"),
        (r"SELECT E'a\'; --x' ;", r"SELECT E'a\'; --x'"),
        ('SELECT ";--x";--x', 'SELECT ";--x"'),
        ("SELECT $$;--x$$;", "SELECT $$;--x$$"),
        ("SELECT $a$;$$--x$a$;", "SELECT $a$;$$--x$a$"),
        ("SELECT $1;--x", "SELECT $1"),
        ("SELECT a$b$ ;--$b$", "SELECT a$b$"),
        ("SELECT 1; SELECT 2;", "SELECT 1; SELECT 2"),
        ("SELECT 'no end;--x", "SELECT 'no end;--x"),
        ("SELECT 1 -- why\n + 1", "SELECT 1 -- why\n + 1"),
        (";--x", ""),
    ],
)
def test_what_is_behind_a_statement_is_left_out(text: str, statement: str) -> None:
    assert without_ending(text) == statement


@pytest.mark.parametrize("sql", ["SELECT 1;--x", "SELECT 1; /* all */ ;", "SELECT 1 -- all"])
async def test_a_statement_with_a_comment_behind_it_is_read(ask: Ask, sql: str) -> None:
    assert await ask().rows(sql) == [[1]]


async def test_a_position_is_that_in_the_callers_own_words(ask: Ask) -> None:
    _, sentence = await ask().refused(sql="SELECT 1 1;--x")
    assert sentence.endswith("at character 10)")
