// The log of calls. Equal neighbours become one line with a count.

import { $, el, exactTime, mark } from "./dom.js";

const MOST_LINES = 500;
const list = $("#calls");
let last = null;

export function clear() {
  list.replaceChildren();
  last = null;
}

export function onCall(event, live) {
  const key = [event.door, event.call, event.detail, event.error].join("\n");
  append(() => {
    if (last?.key === key) return again(event);
    const times = el("span", { class: "times" });
    const node = el("li", { data: { door: event.door } },
      el("time", {}, exactTime(event.at)),
      el("div", { class: "what" },
        el("span", { class: "door" }, event.door), ...breakable(event.call), times,
        event.detail ? el("span", { class: "detail" }, event.detail) : null,
        event.error ? el("span", { class: "error" }, event.error) : null));
    if (live) mark(node, "arriving");
    list.append(node);
    last = { key, node, times, count: 1 };
  });
}

export function note(text) {
  append(() => list.append(el("li", { class: "note" }, text)));
  last = null;
}

export function toEnd() {
  list.scrollTop = list.scrollHeight;
}

// A long name may break after its dots.
const breakable = (name) => name.split(/(?<=\.)/).flatMap((part, index) => (index ? [el("wbr"), part] : [part]));

function again(event) {
  last.count += 1;
  last.times.textContent = `×${last.count}`;
  last.node.querySelector("time").textContent = exactTime(event.at);
}

function append(add) {
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  add();
  while (list.childElementCount > MOST_LINES) list.firstElementChild.remove();
  if (atEnd) list.scrollTop = list.scrollHeight;
}
