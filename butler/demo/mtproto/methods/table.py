"""All methods that the data centre knows, by their request class."""

from butler.demo.mtproto.context import Methods
from butler.demo.mtproto.methods import auth, config, files, history, people, sending, updates

METHODS: Methods = {
    **config.METHODS,
    **auth.METHODS,
    **people.METHODS,
    **history.METHODS,
    **sending.METHODS,
    **updates.METHODS,
    **files.METHODS,
}
