// The log of calls. Equal neighbours become one line with a count, and so do the rounds of polling between two others.

import { $, el, exactTime, mark } from "./dom.js";

const MOST_LINES = 500;
const POLLED = new Set(["IDLE", "SEARCH", "EXISTS"]);
const list = $("#calls");
const lines = new Map(); // since the last call that is no polling, by what they say

export function clear() {
  list.replaceChildren();
  lines.clear();
}

export function onCall(event, live) {
  const key = [event.door, event.call, event.detail, event.error].join("\n");
  append(() => {
    if (lines.has(key)) return again(lines.get(key), event);
    if (!isPolling(event) || ![...lines.values()].every((line) => line.polling)) lines.clear();
    const times = el("span", { class: "times" });
    const node = el("li", { data: { door: event.door } },
      el("time", {}, exactTime(event.at)),
      el("div", { class: "what" },
        el("span", { class: "door" }, event.door), ...breakable(event.call), times,
        event.detail ? el("span", { class: "detail" }, event.detail) : null,
        event.error ? el("span", { class: "error" }, event.error) : null));
    if (live) mark(node, "arriving");
    list.append(node);
    lines.set(key, { node, times, count: 1, polling: isPolling(event) });
  });
}

export function note(text) {
  append(() => list.append(el("li", { class: "note" }, text)));
  lines.clear();
}

export function toEnd() {
  list.scrollTop = list.scrollHeight;
}

// A long name may break after its dots.
const breakable = (name) => name.split(/(?<=\.)/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));

const isPolling = ({ door, call, error }) => !error && (door === "IMAP" ? POLLED.has(call) : call === "getUpdates");

function again(line, event) {
  line.count += 1;
  line.times.textContent = `×${line.count}`;
  line.node.querySelector("time").textContent = exactTime(event.at);
}

function append(add) {
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  add();
  while (list.childElementCount > MOST_LINES) list.firstElementChild.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}
