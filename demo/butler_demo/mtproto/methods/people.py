# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""users.getUsers, contacts.getContacts and resolveUsername: who somebody is, and who is in the address book."""

from telethon.tl import functions, types

from butler_demo.mtproto.context import Context, Methods
from butler_demo.mtproto.errors import RpcFault
from butler_demo.mtproto.peers import find_account
from butler_demo.mtproto.views import View


def get_users(context: Context, request: functions.users.GetUsersRequest) -> list[types.User | types.UserEmpty]:
    """Users by id; an empty one in the place of whom the caller may not address."""
    view = View(context.state, context.account.id)
    found = [(user, find_account(context, user)) for user in request.id]
    return [view.user(account) if account else types.UserEmpty(getattr(user, "user_id", 0)) for user, account in found]


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


METHODS: Methods = {
    functions.users.GetUsersRequest: get_users,
    functions.contacts.GetContactsRequest: get_contacts,
    functions.contacts.ResolveUsernameRequest: resolve_username,
}
