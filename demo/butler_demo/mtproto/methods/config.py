# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
# (Telethon's TL classes carry no complete types.)
"""help.*: what a client asks right after it has connected."""

from datetime import timedelta

from telethon.tl import functions, types

from butler_demo.mtproto.context import DC_ID, Context, Methods
from butler_demo.mtproto.store import CAPTION_LIMIT, EDIT_PERIOD, TEXT_LIMIT


def get_config(context: Context, _request: functions.help.GetConfigRequest) -> types.Config:
    """The configuration: this data centre is the only one."""
    state = context.state
    return types.Config(
        date=state.now(),
        expires=state.now() + timedelta(hours=1),
        test_mode=True,
        this_dc=DC_ID,
        dc_options=[types.DcOption(DC_ID, state.host, state.port, this_port_only=True)],
        dc_txt_domain_name="",
        chat_size_max=200,
        megagroup_size_max=200_000,
        forwarded_count_max=100,
        online_update_period_ms=210_000,
        offline_blur_timeout_ms=5_000,
        offline_idle_timeout_ms=30_000,
        online_cloud_timeout_ms=300_000,
        notify_cloud_delay_ms=30_000,
        notify_default_delay_ms=1_500,
        push_chat_period_ms=60_000,
        push_chat_limit=2,
        edit_time_limit=int(EDIT_PERIOD.total_seconds()),
        revoke_time_limit=2**31 - 1,
        revoke_pm_time_limit=2**31 - 1,
        rating_e_decay=2_419_200,
        stickers_recent_limit=200,
        channels_read_media_period=604_800,
        call_receive_timeout_ms=20_000,
        call_ring_timeout_ms=90_000,
        call_connect_timeout_ms=30_000,
        call_packet_timeout_ms=10_000,
        me_url_prefix="https://t.me/",
        caption_length_max=CAPTION_LIMIT,
        message_length_max=TEXT_LIMIT,
        webfile_dc_id=DC_ID,
    )


METHODS: Methods = {functions.help.GetConfigRequest: get_config}
