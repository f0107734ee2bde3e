"""All methods that the data centre knows, by their request class."""

from butler_demo.mtproto.context import Methods
from butler_demo.mtproto.methods import (
    albums,
    auth,
    config,
    dialogs,
    editing,
    files,
    history,
    media,
    notify,
    people,
    qr_login,
    search,
    sending,
    topics,
    updates,
)

METHODS: Methods = {
    **config.METHODS,
    **auth.METHODS,
    **qr_login.METHODS,
    **people.METHODS,
    **dialogs.METHODS,
    **notify.METHODS,
    **history.METHODS,
    **search.METHODS,
    **media.METHODS,
    **sending.METHODS,
    **albums.METHODS,
    **editing.METHODS,
    **topics.METHODS,
    **updates.METHODS,
    **files.METHODS,
}
