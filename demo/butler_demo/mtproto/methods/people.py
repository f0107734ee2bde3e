# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""users.* and contacts.*: who somebody is, who is in the address book, who is found."""

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.methods.notify import settings_of
from butler_demo.mtproto.peers import find_account
from butler_demo.mtproto.views import View

_SHORTEST_QUERY = 3


def get_users(context: Context, request: functions.users.GetUsersRequest) -> list[types.User | types.UserEmpty]:
    """Users by id; an empty one in the place of whom the caller may not address."""
    view = View(context.state, context.account.id)
    found = [(user, find_account(context, user)) for user in request.id]
    return [view.user(account) if account else types.UserEmpty(getattr(user, "user_id", 0)) for user, account in found]


def get_full_user(context: Context, request: functions.users.GetFullUserRequest) -> types.users.UserFull:
    """One user with the little more that a profile page shows."""
    account = find_account(context, request.id)
    if account is None:
        raise RpcFault(400, "USER_ID_INVALID")
    caller_id = context.account.id
    groups = context.state.directory.groups.values()
    full_user = types.UserFull(
        id=account.id,
        settings=types.PeerSettings(),
        notify_settings=settings_of(context.state, caller_id, account.id),
        common_chats_count=sum({caller_id, account.id} <= set(group.member_ids) for group in groups),
    )
    user = View(context.state, caller_id).user(account)
    return types.users.UserFull(full_user=full_user, chats=[], users=[user])


def get_contacts(context: Context, _request: functions.contacts.GetContactsRequest) -> types.contacts.Contacts:
    """The whole address book, whatever hash the client already has."""
    users = View(context.state, context.account.id).users(context.state.directory.contacts_of(context.account.id))
    contacts = [types.Contact(user.id, mutual=bool(user.mutual_contact)) for user in users]
    return types.contacts.Contacts(contacts=contacts, saved_count=0, users=users)


def resolve_username(
    context: Context, request: functions.contacts.ResolveUsernameRequest
) -> types.contacts.ResolvedPeer:
    """The account or the public channel with a username."""
    directory, view = context.state.directory, View(context.state, context.account.id)
    channel = directory.channel_by_username(request.username)
    if channel is not None:
        peer = types.PeerChannel(channel.id)
        return types.contacts.ResolvedPeer(peer=peer, chats=[view.channel(channel)], users=[])
    account = directory.by_username(request.username)
    if account is None:
        raise RpcFault(400, "USERNAME_NOT_OCCUPIED")
    user = view.user(account)
    return types.contacts.ResolvedPeer(peer=types.PeerUser(account.id), chats=[], users=[user])


def search(context: Context, request: functions.contacts.SearchRequest) -> types.contacts.Found:
    """People by the start of a word of their name among the caller's, and by username everywhere."""
    query = request.q.strip().lstrip("@").casefold()
    if len(query) < _SHORTEST_QUERY:
        raise RpcFault(400, "QUERY_TOO_SHORT")
    directory, caller_id = context.state.directory, context.account.id
    view = View(context.state, caller_id)
    known = {*directory.contacts_of(caller_id), *context.box.conversations}
    mine: list[types.User] = []
    others: list[types.User] = []
    for user in view.users(directory.accounts):
        username = (user.username or "").casefold()
        words = f"{user.first_name or ''} {user.last_name or ''}".casefold()
        if user.id in known and (username.startswith(query) or f" {query}" in f" {words}"):
            mine.append(user)
        elif user.id not in known and username.startswith(query):
            others.append(user)
    mine, others = mine[: request.limit], others[: request.limit]
    return types.contacts.Found(
        my_results=[types.PeerUser(user.id) for user in mine],
        results=[types.PeerUser(user.id) for user in others],
        chats=[],
        users=[*mine, *others],
    )


METHODS: Methods = {
    functions.users.GetUsersRequest: get_users,
    functions.users.GetFullUserRequest: get_full_user,
    functions.contacts.GetContactsRequest: get_contacts,
    functions.contacts.ResolveUsernameRequest: resolve_username,
    functions.contacts.SearchRequest: search,
}
