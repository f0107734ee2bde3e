"""Words for waiting for an answer, and for its absence, in any of the languages; see `answer_words.toml`."""

from butler.contract.speech import phrase
from butler.understanding.stored_words import patterns_in, whole_in

WORDS = ("butler.orchestrator.understanding", "answer_words")
WHOSE = phrase("Whose answer do you wait for?")
SILENT = whole_in(*WORDS, "silent")
"""Words for the absence of an answer, which the owner wants to hear of."""
ANSWERS = patterns_in(*WORDS, "answers")
"""Words for an answer, as opposed to anything that somebody writes."""
TOLD = whole_in(*WORDS, "told")
"""Words for wanting to be told of an answer."""
