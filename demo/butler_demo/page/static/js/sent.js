// What left in your name, and your own Telegram chats.

import { $, clockTime, dayName, el, initial, listTime, mark, nameOf, sameDay } from "./dom.js";
import { addNews } from "./places.js";

const panel = $("#panel-sent");
const messages = new Map();
const mails = new Map();
let open = null;
let fresh = null;

export function clear() {
  messages.clear();
  mails.clear();
}

export function onTelegram(event, live) {
  if (event.deleted) messages.delete(event.message_id);
  else messages.set(event.message_id, event);
  if (!live) return;
  if (event.outgoing && !event.seeded) arrived(`telegram/${event.message_id}`);
  render();
}

export function onSentMail(event, live) {
  const isNew = !mails.has(event.mail_id);
  mails.set(event.mail_id, event);
  if (live && isNew) arrived(`mail/${event.mail_id}`);
  if (live) render();
}

export function render() {
  const top = panel.querySelector(".scroll")?.scrollTop ?? 0;
  panel.replaceChildren(...(open === null ? overview() : thread(open)));
  const scroll = panel.querySelector(".scroll");
  scroll.scrollTop = open === null ? top : scroll.scrollHeight;
  fresh = null;
}

function arrived(key) {
  fresh = key;
  open = null;
  addNews("sent");
}

function overview() {
  const cards = [
    ...[...messages.values()].filter((message) => message.outgoing && !message.seeded).map(telegramCard),
    ...[...mails.values()].map(mailCard),
  ].sort((a, b) => b.at - a.at);
  const empty = el("p", { class: "empty" }, "Nothing yet. Ask for something in the chat; it leaves once you approve its card.");
  return [
    el("div", { class: "scroll" },
      el("h2", { class: "section" }, "Sent in your name"),
      ...(cards.length ? cards.map((card) => card.node) : [empty]),
      el("h2", { class: "section" }, "Your Telegram"),
      ...peers().map(peerRow)),
  ];
}

function telegramCard(message) {
  return card(`telegram/${message.message_id}`, message.at, message.peer, "Telegram", el("p", {}, message.text));
}

function mailCard(mail) {
  return card(`mail/${mail.mail_id}`, mail.at, nameOf(mail.recipients), "Mail", el("h3", {}, mail.subject), el("p", {}, mail.text.trim()));
}

function card(key, at, to, channel, ...content) {
  const head = el("header", {}, el("b", {}, `To ${to}`), el("span", {}, channel), el("time", {}, clockTime(at)));
  const node = el("article", { class: "sent-card" }, head, ...content);
  if (key === fresh) mark(node, "arriving");
  return { at, node };
}

function peers() {
  const last = new Map();
  for (const message of messages.values()) last.set(message.peer_id, message);
  return [...last.values()].sort((a, b) => b.at - a.at);
}

function peerRow(last) {
  return el("button", { class: "item", type: "button", onclick: () => { open = last.peer_id; render(); } },
    el("span", { class: "avatar" }, initial(last.peer)),
    el("span", { class: "line" }, el("b", {}, last.peer), el("time", {}, listTime(last.at))),
    el("span", { class: "preview" }, `${last.outgoing ? "You: " : ""}${last.text}`));
}

function thread(peerId) {
  const lines = [...messages.values()].filter((message) => message.peer_id === peerId);
  const nodes = [];
  lines.forEach((message, index) => {
    if (index === 0 || !sameDay(lines[index - 1].at, message.at)) nodes.push(el("div", { class: "day" }, dayName(message.at)));
    nodes.push(bubble(message));
  });
  return [
    el("div", { class: "tools" },
      el("button", { class: "icon", type: "button", onclick: () => { open = null; render(); } }, "‹ Back"),
      el("p", {}, `You and ${lines[0]?.peer ?? ""}`)),
    el("div", { class: "scroll" }, el("div", { class: "thread" }, ...nodes)),
  ];
}

function bubble(message) {
  return el("article", { class: message.outgoing ? "message you" : "message" },
    el("div", { class: "bubble" }, el("div", { class: "text" }, message.text), el("div", { class: "meta" }, el("time", {}, clockTime(message.at)))),
    message.outgoing && !message.seeded ? el("div", { class: "by" }, "by Jeeves, with your yes") : null);
}
