// The bot's chat: messages as they stand, their buttons, typing and toasts.

import { act } from "./api.js";
import { beginComposer, repliedTo, replyTo } from "./composer.js";
import { $, clockTime, dayName, el, mark, sameDay } from "./dom.js";
import { richText } from "./entities.js";
import { addNews } from "./places.js";

const OWNER = 42;
const TYPING_MS = 6000;
const messages = new Map();
const list = $("#messages");
const toast = $("#toast");
const typing = el("div", { class: "typing", "aria-label": "Jeeves is typing" }, el("i"), el("i"), el("i"));
let typingTimer = 0;
let toastTimer = 0;

export function begin() {
  greet(0);
  beginComposer(say, sendFile);
  // What is replied to stays in sight when the line above the draft, or a phone's keyboard, takes room.
  new ResizeObserver(() => messages.get(repliedTo())?.node.scrollIntoView({ block: "nearest" })).observe(list);
}

async function sendFile(file, words) {
  const url = await new Promise((done) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => done(reader.result));
    reader.readAsDataURL(file);
  });
  return act("file", { name: file.name, words, content: url.slice(url.indexOf(",") + 1) });
}

// By the hour of the demo's clock, which may be ahead.
export function greet(aheadSeconds) {
  const hour = new Date(Date.now() + aheadSeconds * 1000).getHours();
  $("#greeting").textContent = `Good ${hour < 5 || hour >= 18 ? "evening" : hour < 12 ? "morning" : "afternoon"}, Robin.`;
}

export async function say(text, replied = null) {
  return act("say", { text, reply_to: replied });
}

export function clear() {
  for (const { node } of messages.values()) node.remove();
  for (const line of list.querySelectorAll(".day")) line.remove();
  messages.clear();
  hideTyping();
}

export function onMessage(event, live) {
  if (event.chat_id !== OWNER) return;
  const known = messages.get(event.message_id);
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const node = draw(event);
  if (known) {
    known.node.replaceWith(node);
    if (live) mark(node, "edited-now");
  } else {
    place(node, event);
    if (live) mark(node, "arriving");
    if (live && event.by_bot) addNews("chat");
  }
  messages.set(event.message_id, { event, node });
  if (event.by_bot) hideTyping();
  else if (live && !known) showTyping();
  $("#welcome").hidden = true;
  $("#chips").classList.remove("first");
  if (atEnd || !event.by_bot) list.scrollTop = list.scrollHeight;
}

export function toEnd() {
  list.scrollTop = list.scrollHeight;
}

export function onDeleted(event) {
  messages.get(event.message_id)?.node.remove();
  messages.delete(event.message_id);
}

export function onTyping(event) {
  if (event.chat_id === OWNER) showTyping();
}

export function onToast(event) {
  for (const button of list.querySelectorAll(`[data-id="${event.message_id}"] .waiting`)) button.classList.remove("waiting");
  if (event.user_id === OWNER && event.text) notify(event.text, event.alert ? 8000 : 3500);
}

export function notify(text, milliseconds = 4500) {
  toast.textContent = text;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { toast.hidden = true; }, milliseconds);
}

function place(node, event) {
  const last = [...messages.values()].at(-1);
  if (!last || !sameDay(last.event.at, event.at)) list.append(el("div", { class: "day" }, dayName(event.at)));
  list.append(node);
}

function draw(event) {
  const bubble = el("div", { class: "bubble" });
  if (event.reply_to !== null) bubble.append(el("div", { class: "quote" }, event.reply_text || "a message"));
  if (event.picture) bubble.append(picture(event));
  else if (event.file) bubble.append(el("div", { class: "file" }, el("span", {}, event.file, el("small", {}, size(event.file_size)))));
  if (event.text) bubble.append(el("div", { class: "text" }, richText(event.text, event.entities, (command) => say(command))));
  bubble.append(meta(event));
  const node = el("article", { class: event.by_bot ? "message bot" : "message you", data: { id: event.message_id } }, bubble);
  if (event.buttons.length) node.append(keyboard(event));
  return node;
}

function picture(event) {
  const source = `/picture/${event.picture}`;
  const image = el("img", { class: "picture", src: source, alt: "a picture", onload: () => followed(image) });
  return el("a", { href: source, target: "_blank", rel: "noopener noreferrer" }, image);
}

// A picture has its height only once it is there: whoever looked at the end still does.
function followed(image) {
  const below = list.scrollHeight - list.scrollTop - list.clientHeight;
  if (below < image.clientHeight + 120) list.scrollTop = list.scrollHeight;
}

function meta(event) {
  const reply = el("button", { type: "button", onclick: () => replyTo(event.message_id, event.text || event.file) }, "Reply");
  return el("div", { class: "meta" }, event.by_bot ? reply : null, event.edited ? "edited" : null, el("time", {}, clockTime(event.at)));
}

function keyboard(event) {
  const rows = event.buttons.map((row) => el("div", {}, ...row.map((button) => key(event.message_id, button))));
  return el("div", { class: "keys" }, ...rows);
}

function key(messageId, button) {
  if (button.url) return el("a", { href: button.url, target: "_blank", rel: "noopener noreferrer" }, button.label);
  const node = el("button", { type: "button" }, button.label);
  node.addEventListener("click", async () => {
    node.classList.add("waiting");
    setTimeout(() => node.classList.remove("waiting"), 8000);
    if (!(await act("press", { message_id: messageId, data: button.data }))) node.classList.remove("waiting");
  });
  return node;
}

function showTyping() {
  if (document.body.dataset.daemon !== "running") return;
  list.append(typing);
  list.scrollTop = list.scrollHeight;
  clearTimeout(typingTimer);
  typingTimer = setTimeout(hideTyping, TYPING_MS);
}

function hideTyping() {
  clearTimeout(typingTimer);
  typing.remove();
}

const size = (bytes) => (bytes < 1024 ? `${bytes} bytes` : `${(bytes / 1024).toFixed(bytes < 10240 ? 1 : 0)} kB`);
