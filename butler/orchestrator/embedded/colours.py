"""Colours of events as people say them, by the names that Google's calendar has for its eleven."""

NAMES = {
    "lavender": "lavender", "sage": "sage", "grape": "grape", "flamingo": "flamingo", "banana": "banana",
    "tangerine": "tangerine", "peacock": "peacock", "graphite": "graphite", "blueberry": "blueberry", "basil": "basil",
    "tomato": "tomato", "green": "basil", "red": "tomato", "blue": "blueberry", "yellow": "banana",
    "orange": "tangerine", "purple": "grape", "violet": "grape", "pink": "flamingo", "grey": "graphite",
    "gray": "graphite", "turquoise": "peacock", "cyan": "peacock", "teal": "peacock",
}  # fmt: skip
SHADES = {"light green": "sage", "dark green": "basil", "light blue": "peacock", "dark blue": "blueberry",
          "light purple": "lavender", "default": "calendar", "the default": "calendar"}  # fmt: skip
