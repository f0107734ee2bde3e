-- The initial schema (revision 0014). Later migrations change it; this file stays as it is.

CREATE TABLE approval_batches (
    batch_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    version INTEGER NOT NULL,
    chat TEXT NOT NULL,
    tool TEXT NOT NULL,
    risk TEXT NOT NULL,
    state TEXT NOT NULL,
    showing TEXT DEFAULT '' NOT NULL,
    seen JSON NOT NULL,
    card_refs JSON NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT approval_batches_pkey PRIMARY KEY (batch_id)
);

CREATE INDEX approval_batches_open ON approval_batches (state, chat);

CREATE TABLE approvals (
    approval_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    tool TEXT NOT NULL,
    identity TEXT NOT NULL,
    account TEXT NOT NULL,
    args TEXT NOT NULL,
    args_sha256 TEXT NOT NULL,
    labels JSON NOT NULL,
    reasons JSON NOT NULL,
    chat TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    plan_id TEXT,
    step_id INTEGER,
    call_id TEXT NOT NULL,
    contract_digest TEXT DEFAULT '' NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    decided_at BIGINT,
    decided_by TEXT,
    execute_at BIGINT,
    finished_at BIGINT,
    detail TEXT DEFAULT '' NOT NULL,
    result JSON,
    card_refs JSON NOT NULL,
    risk TEXT DEFAULT 'high' NOT NULL,
    recipients JSON DEFAULT '[]' NOT NULL,
    bound TEXT DEFAULT '' NOT NULL,
    rule_id TEXT,
    rule_digest TEXT,
    batch_id TEXT,
    not_before BIGINT,
    CONSTRAINT approvals_pkey PRIMARY KEY (approval_id),
    CONSTRAINT approvals_call_id_key UNIQUE (call_id)
);

CREATE INDEX approvals_batch ON approvals (batch_id);

CREATE INDEX approvals_chat ON approvals (chat, created_at);

CREATE INDEX approvals_plan ON approvals (plan_id);

CREATE INDEX approvals_requested_by ON approvals (requested_by);

CREATE INDEX approvals_state ON approvals (state, created_at);

CREATE TABLE audit (
    seq INTEGER NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    actor TEXT NOT NULL,
    data TEXT NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    CONSTRAINT audit_pkey PRIMARY KEY (seq)
);

CREATE INDEX audit_subject ON audit (subject);

CREATE TABLE automation_firings (
    automation_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    replay INTEGER NOT NULL,
    at BIGINT NOT NULL,
    state TEXT NOT NULL,
    replay_key TEXT DEFAULT '' NOT NULL,
    plan_id TEXT,
    message_id TEXT,
    CONSTRAINT automation_firings_pkey PRIMARY KEY (automation_id, event_id, replay)
);

CREATE INDEX automation_firings_at ON automation_firings (automation_id, at);

CREATE INDEX automation_firings_message ON automation_firings (message_id);

CREATE INDEX automation_firings_plan ON automation_firings (plan_id);

CREATE INDEX automation_firings_time ON automation_firings (at);

CREATE TABLE automations (
    automation_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    event TEXT NOT NULL,
    spec JSON NOT NULL,
    digest TEXT NOT NULL,
    source TEXT NOT NULL,
    due_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    times_past INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT automations_pkey PRIMARY KEY (automation_id),
    CONSTRAINT automations_number_key UNIQUE (number)
);

CREATE INDEX automations_event ON automations (state, event);

CREATE TABLE bulk_runs (
    run_id TEXT NOT NULL,
    adapter TEXT NOT NULL,
    account TEXT NOT NULL,
    params TEXT NOT NULL,
    context JSON NOT NULL,
    state TEXT NOT NULL,
    digest TEXT DEFAULT '' NOT NULL,
    total INTEGER DEFAULT '0' NOT NULL,
    shown JSON,
    call_id TEXT,
    chat TEXT DEFAULT '' NOT NULL,
    undo_of TEXT,
    retry_of TEXT,
    message_id TEXT,
    detail TEXT DEFAULT '' NOT NULL,
    created_at BIGINT NOT NULL,
    begun_at BIGINT,
    ended_at BIGINT,
    arrived INTEGER DEFAULT '0' NOT NULL,
    tool TEXT DEFAULT '' NOT NULL,
    rule_id TEXT,
    remark TEXT DEFAULT '' NOT NULL,
    CONSTRAINT bulk_runs_pkey PRIMARY KEY (run_id),
    CONSTRAINT bulk_runs_call_id_key UNIQUE (call_id)
);

CREATE INDEX bulk_runs_message ON bulk_runs (message_id);

CREATE INDEX bulk_runs_state ON bulk_runs (state, adapter, account);

CREATE TABLE card_buttons (
    nonce_sha256 TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    revision INTEGER NOT NULL,
    verb TEXT NOT NULL,
    argument TEXT DEFAULT '' NOT NULL,
    owner TEXT NOT NULL,
    chat TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT,
    CONSTRAINT card_buttons_pkey PRIMARY KEY (nonce_sha256)
);

CREATE INDEX card_buttons_subject ON card_buttons (kind, subject);

CREATE TABLE choices (
    nonce_sha256 TEXT NOT NULL,
    chat TEXT NOT NULL,
    words TEXT NOT NULL,
    replied_to TEXT DEFAULT '' NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT,
    alias TEXT DEFAULT '' NOT NULL,
    address TEXT DEFAULT '' NOT NULL,
    step JSON,
    origins JSON,
    CONSTRAINT choices_pkey PRIMARY KEY (nonce_sha256)
);

CREATE INDEX choices_created ON choices (created_at);

CREATE TABLE contacts (
    contact_id TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT contacts_pkey PRIMARY KEY (contact_id)
);

CREATE TABLE conversations (
    session_id TEXT NOT NULL,
    state JSON NOT NULL,
    updated_at BIGINT NOT NULL,
    CONSTRAINT conversations_pkey PRIMARY KEY (session_id)
);

CREATE INDEX conversations_updated ON conversations (updated_at);

CREATE TABLE cursors (
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    CONSTRAINT cursors_pkey PRIMARY KEY (name)
);

CREATE TABLE daemons (
    epoch INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL,
    place TEXT NOT NULL,
    process INTEGER NOT NULL,
    started_at BIGINT NOT NULL
);

CREATE TABLE events (
    seq INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    dedup_key TEXT NOT NULL,
    name TEXT NOT NULL,
    channel TEXT NOT NULL,
    identity TEXT NOT NULL,
    account TEXT NOT NULL,
    at BIGINT NOT NULL,
    facts JSON NOT NULL,
    origin JSON NOT NULL,
    subject TEXT DEFAULT '' NOT NULL,
    depth INTEGER DEFAULT '0' NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (seq),
    CONSTRAINT events_event_id_key UNIQUE (event_id),
    CONSTRAINT events_dedup_key_key UNIQUE (dedup_key)
);

CREATE INDEX events_at ON events (at);

CREATE INDEX events_name ON events (name, at);

CREATE TABLE facts (
    name TEXT NOT NULL,
    value JSON NOT NULL,
    updated_at BIGINT NOT NULL,
    CONSTRAINT facts_pkey PRIMARY KEY (name)
);

CREATE TABLE firings (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    fired_at BIGINT NOT NULL,
    message_id TEXT,
    note TEXT DEFAULT '' NOT NULL,
    CONSTRAINT firings_pkey PRIMARY KEY (kind, subject, due_at)
);

CREATE INDEX firings_at ON firings (fired_at);

CREATE INDEX firings_message ON firings (message_id);

CREATE TABLE hooks (
    hook_id TEXT NOT NULL,
    receiver TEXT NOT NULL,
    dedup_key TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    remote TEXT NOT NULL,
    headers JSON NOT NULL,
    body BLOB NOT NULL,
    state TEXT NOT NULL,
    detail TEXT DEFAULT '' NOT NULL,
    handled_at BIGINT,
    replays INTEGER DEFAULT '0' NOT NULL,
    signed_key TEXT,
    CONSTRAINT hooks_pkey PRIMARY KEY (hook_id),
    CONSTRAINT hooks_dedup_key_key UNIQUE (dedup_key),
    CONSTRAINT hooks_signed_key_key UNIQUE (signed_key)
);

CREATE INDEX hooks_received ON hooks (received_at);

CREATE TABLE inbox (
    seq INTEGER NOT NULL,
    inbound_id TEXT NOT NULL,
    dedup_key TEXT NOT NULL,
    kind TEXT NOT NULL,
    channel TEXT NOT NULL,
    identity TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    sender TEXT NOT NULL,
    message_ref TEXT NOT NULL,
    received_at BIGINT NOT NULL,
    item JSON NOT NULL,
    state TEXT NOT NULL,
    detail TEXT DEFAULT '' NOT NULL,
    handled_at BIGINT,
    filed_at BIGINT,
    guard JSON,
    CONSTRAINT inbox_pkey PRIMARY KEY (seq),
    CONSTRAINT inbox_inbound_id_key UNIQUE (inbound_id),
    CONSTRAINT inbox_dedup_key_key UNIQUE (dedup_key)
);

CREATE INDEX inbox_channel ON inbox (channel, identity, seq);

CREATE INDEX inbox_chat ON inbox (channel, identity, chat, seq);

CREATE INDEX inbox_message ON inbox (chat, message_ref);

CREATE INDEX inbox_received ON inbox (received_at, seq);

CREATE TABLE mail_answers (
    "key" TEXT NOT NULL,
    correspondent TEXT NOT NULL,
    domain TEXT NOT NULL,
    thread TEXT NOT NULL,
    at BIGINT NOT NULL,
    progress JSON DEFAULT '{}' NOT NULL,
    CONSTRAINT mail_answers_pkey PRIMARY KEY ("key")
);

CREATE INDEX mail_answers_correspondent ON mail_answers (correspondent, at);

CREATE INDEX mail_answers_domain ON mail_answers (domain, at);

CREATE INDEX mail_answers_thread ON mail_answers (thread, at);

CREATE TABLE memory_sources (
    source_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    title TEXT NOT NULL,
    url TEXT,
    account TEXT NOT NULL,
    person TEXT NOT NULL,
    origins JSON NOT NULL,
    problems JSON NOT NULL,
    digest TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    state TEXT NOT NULL,
    at BIGINT,
    added_at BIGINT NOT NULL,
    CONSTRAINT memory_sources_pkey PRIMARY KEY (source_id)
);

CREATE INDEX memory_sources_kind ON memory_sources (kind, added_at);

CREATE TABLE model_use (
    day TEXT NOT NULL,
    requests INTEGER DEFAULT '0' NOT NULL,
    tokens BIGINT DEFAULT '0' NOT NULL,
    cost FLOAT DEFAULT '0' NOT NULL,
    CONSTRAINT model_use_pkey PRIMARY KEY (day)
);

CREATE TABLE notes (
    note_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    text TEXT NOT NULL,
    labels JSON NOT NULL,
    created_at BIGINT NOT NULL,
    CONSTRAINT notes_pkey PRIMARY KEY (note_id),
    CONSTRAINT notes_call_id_key UNIQUE (call_id)
);

CREATE TABLE outbox (
    message_id TEXT NOT NULL,
    chat TEXT NOT NULL,
    message JSON NOT NULL,
    state TEXT NOT NULL,
    refs JSON,
    dedup_key TEXT,
    created_at BIGINT NOT NULL,
    sent_at BIGINT,
    detail TEXT DEFAULT '' NOT NULL,
    CONSTRAINT outbox_pkey PRIMARY KEY (message_id),
    CONSTRAINT outbox_dedup_key_key UNIQUE (dedup_key)
);

CREATE INDEX outbox_chat ON outbox (chat, state, sent_at);

CREATE INDEX outbox_created ON outbox (created_at);

CREATE INDEX outbox_state ON outbox (state);

CREATE TABLE plans (
    plan_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    inbound_id TEXT NOT NULL,
    round INTEGER NOT NULL,
    state TEXT NOT NULL,
    labels JSON NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    spent JSON,
    CONSTRAINT plans_pkey PRIMARY KEY (plan_id)
);

CREATE INDEX plans_inbound ON plans (inbound_id);

CREATE INDEX plans_session ON plans (session_id, created_at);

CREATE INDEX plans_updated ON plans (updated_at);

CREATE TABLE polled (
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    version TEXT DEFAULT '' NOT NULL,
    at BIGINT,
    ends_at BIGINT,
    item JSON NOT NULL,
    changed_at BIGINT NOT NULL,
    removed_at BIGINT,
    CONSTRAINT polled_pkey PRIMARY KEY (channel, account, kind, ref)
);

CREATE INDEX polled_at ON polled (kind, at);

CREATE INDEX polled_removed ON polled (removed_at);

CREATE TABLE preferences (
    name TEXT NOT NULL,
    value JSON NOT NULL,
    said_in TEXT NOT NULL,
    set_at BIGINT NOT NULL,
    CONSTRAINT preferences_pkey PRIMARY KEY (name)
);

CREATE TABLE reminders (
    reminder_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    text TEXT NOT NULL,
    zone TEXT NOT NULL,
    local_time TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    labels JSON,
    rule JSON,
    until_event JSON,
    times_past INTEGER DEFAULT '0' NOT NULL,
    snoozed BOOLEAN DEFAULT 0 NOT NULL,
    chat TEXT DEFAULT '' NOT NULL,
    rule_at BIGINT,
    again_at BIGINT,
    awaits_event BOOLEAN DEFAULT 0 NOT NULL,
    CONSTRAINT reminders_pkey PRIMARY KEY (reminder_id),
    CONSTRAINT reminders_call_id_key UNIQUE (call_id)
);

CREATE INDEX reminders_awaits ON reminders (awaits_event, state);

CREATE INDEX reminders_due ON reminders (state, due_at);

CREATE TABLE run_records (
    run_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    status TEXT NOT NULL,
    tool TEXT NOT NULL,
    adapter_id TEXT NOT NULL,
    adapter_operation TEXT NOT NULL,
    adapter_contract_version TEXT NOT NULL,
    gate TEXT NOT NULL,
    message TEXT NOT NULL,
    trace_id TEXT NOT NULL,
    CONSTRAINT run_records_pkey PRIMARY KEY (run_id)
);

CREATE INDEX run_records_at ON run_records (at);

CREATE TABLE seen_chats (
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    muted BOOLEAN NOT NULL,
    unread INTEGER NOT NULL,
    read_order BIGINT NOT NULL,
    last_order BIGINT NOT NULL,
    last_at BIGINT,
    cursor TEXT NOT NULL,
    CONSTRAINT seen_chats_pkey PRIMARY KEY (channel, account, chat)
);

CREATE TABLE seen_messages (
    seq INTEGER NOT NULL,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    ref TEXT NOT NULL,
    "order" BIGINT NOT NULL,
    at BIGINT NOT NULL,
    outgoing BOOLEAN NOT NULL,
    unread BOOLEAN NOT NULL,
    words TEXT NOT NULL,
    item JSON NOT NULL,
    removed_at BIGINT,
    changed_at BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT seen_messages_pkey PRIMARY KEY (seq),
    CONSTRAINT seen_messages_channel_account_chat_ref_key UNIQUE (channel, account, chat, ref)
);

CREATE INDEX seen_messages_at ON seen_messages (channel, at);

CREATE INDEX seen_messages_changed ON seen_messages (changed_at, seq);

CREATE INDEX seen_messages_order ON seen_messages (channel, account, chat, "order");

CREATE INDEX seen_messages_ref ON seen_messages (channel, account, ref);

CREATE TABLE seen_people (
    address TEXT NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    words TEXT NOT NULL,
    received INTEGER NOT NULL,
    sent INTEGER NOT NULL,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    put_off_at BIGINT,
    CONSTRAINT seen_people_pkey PRIMARY KEY (address, source)
);

CREATE TABLE seen_raws (
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    ref TEXT NOT NULL,
    raw BLOB NOT NULL,
    CONSTRAINT seen_raws_pkey PRIMARY KEY (channel, account, chat, ref)
);

CREATE TABLE waits (
    wait_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    address TEXT NOT NULL,
    contact_id TEXT DEFAULT '' NOT NULL,
    about TEXT DEFAULT '' NOT NULL,
    call_id TEXT NOT NULL,
    state TEXT NOT NULL,
    since BIGINT NOT NULL,
    until BIGINT NOT NULL,
    settled_at BIGINT,
    labels JSON DEFAULT '[]' NOT NULL,
    CONSTRAINT waits_pkey PRIMARY KEY (wait_id),
    CONSTRAINT waits_call_id_key UNIQUE (call_id)
);

CREATE INDEX waits_settled ON waits (settled_at);

CREATE INDEX waits_state ON waits (state, address);

CREATE TABLE work (
    work_id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    lane TEXT NOT NULL,
    run_at BIGINT NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER DEFAULT '0' NOT NULL,
    faults INTEGER DEFAULT '0' NOT NULL,
    last_error TEXT DEFAULT '' NOT NULL,
    created_at BIGINT NOT NULL,
    waits_s FLOAT
);

CREATE INDEX work_due ON work (state, run_at);

CREATE INDEX work_subject ON work (subject);

CREATE TABLE attempts (
    attempt_id TEXT NOT NULL,
    approval_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    token TEXT NOT NULL,
    progress JSON NOT NULL,
    started_at BIGINT NOT NULL,
    ended_at BIGINT,
    outcome TEXT,
    detail TEXT DEFAULT '' NOT NULL,
    provider_ref TEXT DEFAULT '' NOT NULL,
    epoch BIGINT DEFAULT '0' NOT NULL,
    CONSTRAINT attempts_pkey PRIMARY KEY (attempt_id),
    CONSTRAINT attempts_approval_id_fkey FOREIGN KEY(approval_id) REFERENCES approvals (approval_id),
    CONSTRAINT attempts_approval_id_number_key UNIQUE (approval_id, number)
);

CREATE INDEX attempts_token ON attempts (token);

CREATE TABLE bulk_items (
    run_id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    item_id TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    detail TEXT DEFAULT '' NOT NULL,
    sent INTEGER DEFAULT '0' NOT NULL,
    data JSON,
    CONSTRAINT bulk_items_pkey PRIMARY KEY (run_id, seq),
    CONSTRAINT bulk_items_run_id_fkey FOREIGN KEY(run_id) REFERENCES bulk_runs (run_id)
);

CREATE INDEX bulk_items_item ON bulk_items (run_id, item_id);

CREATE INDEX bulk_items_state ON bulk_items (run_id, state, seq);

CREATE TABLE contact_addresses (
    address TEXT NOT NULL,
    contact_id TEXT NOT NULL,
    confirmed BOOLEAN NOT NULL,
    source TEXT NOT NULL,
    CONSTRAINT contact_addresses_pkey PRIMARY KEY (address),
    CONSTRAINT contact_addresses_contact_id_fkey FOREIGN KEY(contact_id) REFERENCES contacts (contact_id)
);

CREATE INDEX contact_addresses_contact ON contact_addresses (contact_id);

CREATE TABLE contact_aliases (
    contact_id TEXT NOT NULL,
    alias TEXT NOT NULL,
    confirmed BOOLEAN NOT NULL,
    source TEXT NOT NULL,
    CONSTRAINT contact_aliases_pkey PRIMARY KEY (contact_id, alias),
    CONSTRAINT contact_aliases_contact_id_fkey FOREIGN KEY(contact_id) REFERENCES contacts (contact_id)
);

CREATE TABLE email_fallbacks (
    approval_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    address TEXT NOT NULL,
    message_id TEXT DEFAULT '' NOT NULL,
    sent_at BIGINT,
    answered_by TEXT DEFAULT '' NOT NULL,
    told_at BIGINT,
    CONSTRAINT email_fallbacks_pkey PRIMARY KEY (approval_id, revision),
    CONSTRAINT email_fallbacks_approval_id_fkey FOREIGN KEY(approval_id) REFERENCES approvals (approval_id)
);

CREATE TABLE plan_steps (
    plan_id TEXT NOT NULL,
    step_id INTEGER NOT NULL,
    tool_call TEXT NOT NULL,
    description TEXT NOT NULL,
    status TEXT NOT NULL,
    args JSON NOT NULL,
    labels JSON NOT NULL,
    depends_on JSON NOT NULL,
    "when" JSON,
    waiting_on TEXT,
    outcome JSON,
    not_before BIGINT,
    CONSTRAINT plan_steps_pkey PRIMARY KEY (plan_id, step_id),
    CONSTRAINT plan_steps_plan_id_fkey FOREIGN KEY(plan_id) REFERENCES plans (plan_id)
);

CREATE TABLE revisions (
    approval_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    args TEXT NOT NULL,
    args_sha256 TEXT NOT NULL,
    contract_digest TEXT NOT NULL,
    labels JSON NOT NULL,
    reasons JSON NOT NULL,
    replaced_by TEXT NOT NULL,
    replaced_at BIGINT NOT NULL,
    not_before BIGINT,
    CONSTRAINT revisions_pkey PRIMARY KEY (approval_id, revision),
    CONSTRAINT revisions_approval_id_fkey FOREIGN KEY(approval_id) REFERENCES approvals (approval_id)
);

CREATE TABLE rules (
    rule_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    tool TEXT NOT NULL,
    account TEXT NOT NULL,
    chat TEXT NOT NULL,
    recipients JSON NOT NULL,
    pinned JSON NOT NULL,
    expires_at BIGINT,
    max_uses INTEGER,
    uses INTEGER DEFAULT '0' NOT NULL,
    made_from TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    card_refs JSON NOT NULL,
    CONSTRAINT rules_pkey PRIMARY KEY (rule_id),
    CONSTRAINT rules_made_from_fkey FOREIGN KEY(made_from) REFERENCES approvals (approval_id),
    CONSTRAINT rules_number_key UNIQUE (number)
);

CREATE INDEX rules_state ON rules (state, tool);

CREATE TABLE bulk_schedules (
    rule_id TEXT NOT NULL,
    due_at BIGINT NOT NULL,
    last_at BIGINT,
    trouble TEXT DEFAULT '' NOT NULL,
    CONSTRAINT bulk_schedules_pkey PRIMARY KEY (rule_id),
    CONSTRAINT bulk_schedules_rule_id_fkey FOREIGN KEY(rule_id) REFERENCES rules (rule_id)
);
