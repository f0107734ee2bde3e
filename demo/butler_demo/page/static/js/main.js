// Brings the views together: each event goes to the view that shows it.

import { listen, reportProblems } from "./api.js";
import * as chat from "./chat.js";
import * as compose from "./compose.js";
import * as daemon from "./daemon.js";
import { $, el } from "./dom.js";
import { Mailbox } from "./mailbox.js";
import * as places from "./places.js";
import * as sent from "./sent.js";
import * as underneath from "./underneath.js";

const boxes = {
  yours: new Mailbox({
    panel: $("#panel-yours"),
    place: "yours",
    note: "me@home.example",
    action: (mail) => el("button", { class: "quiet", type: "button", onclick: () => compose.forward(mail) }, "Forward this to the butler"),
  }),
  butler: new Mailbox({
    panel: $("#panel-butler"),
    place: "butler",
    note: "butler@home.example",
    tool: () => el("button", { class: "quiet", type: "button", onclick: compose.newMail }, "Send a mail to the butler"),
  }),
};

const views = {
  chat: chat.onMessage,
  chat_deleted: chat.onDeleted,
  typing: chat.onTyping,
  toast: chat.onToast,
  telegram: sent.onTelegram,
  mail: (event, live) => {
    boxes[event.box].onMail(event, live);
    if (event.box === "yours" && event.folder === "Sent" && !event.gone) sent.onSentMail(event, live);
  },
  called: underneath.onCall,
  daemon: daemon.onDaemon,
  clock: (event, live) => {
    chat.greet(event.ahead_s);
    daemon.onClock(event, live);
  },
};

places.whenShown("chat", chat.toEnd);
places.whenShown("underneath", underneath.toEnd);
places.begin();
chat.begin();
compose.begin();
daemon.begin();
reportProblems(chat.notify);
listen({
  everything: (events) => {
    for (const view of [chat, sent, underneath, boxes.yours, boxes.butler]) view.clear();
    for (const event of events) views[event.kind]?.(event, false);
    for (const view of [sent, boxes.yours, boxes.butler]) view.render();
    document.body.dataset.ready = "true";
  },
  one: (event) => views[event.kind]?.(event, true),
  lost: daemon.onLost,
});
