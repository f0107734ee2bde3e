// A Telegram text with its entities as nodes. Offsets count UTF-16 units, as JavaScript's strings do.

import { el } from "./dom.js";

const TAGS = { bold: "b", italic: "i", underline: "u", strikethrough: "s", code: "code", pre: "pre", blockquote: "blockquote", expandable_blockquote: "blockquote" };
const BLOCKS = new Set(["pre", "blockquote"]);

export function richText(text, entities, onCommand) {
  const sorted = [...entities].sort((a, b) => a.offset - b.offset || b.length - a.length);
  const fragment = document.createDocumentFragment();
  fragment.append(...render(text, 0, text.length, sorted, onCommand));
  return fragment;
}

function render(text, start, end, entities, onCommand) {
  const nodes = [];
  let at = start;
  let rest = entities;
  while (rest.length) {
    const [entity, ...others] = rest;
    const from = Math.max(entity.offset, at);
    const to = Math.min(entity.offset + entity.length, end);
    if (to <= from) { rest = others; continue; }
    if (from > at) nodes.push(beside(text.slice(at, from), nodes.at(-1), TAGS[entity.type]));
    const inside = others.filter((other) => other.offset < to);
    nodes.push(wrap(entity, text.slice(from, to), render(text, from, to, inside, onCommand), onCommand));
    at = to;
    rest = others.filter((other) => other.offset + other.length > to);
  }
  if (at < end) nodes.push(beside(text.slice(at, end), nodes.at(-1), ""));
  return nodes;
}

// A block stands on lines of its own anyway, so the line end before and after it goes, as in Telegram's apps.
function beside(text, before, after) {
  const led = BLOCKS.has(before?.localName) ? text.replace(/^\n/, "") : text;
  return BLOCKS.has(after) ? led.replace(/\n$/, "") : led;
}

function wrap(entity, plain, children, onCommand) {
  switch (entity.type) {
    case "url": return link(plain, children);
    case "text_link": return link(entity.url, children);
    case "email": return el("span", { class: "mention" }, ...children);
    case "mention": case "text_mention": case "hashtag": return el("span", { class: "mention" }, ...children);
    case "bot_command": return el("button", { class: "command", type: "button", onclick: () => onCommand(plain) }, ...children);
    case "spoiler": return el("span", { class: "spoiler", onclick: (event) => event.currentTarget.classList.add("open") }, ...children);
    default: return TAGS[entity.type] ? el(TAGS[entity.type], {}, ...children) : el("span", {}, ...children);
  }
}

function link(address, children) {
  const safe = /^https?:\/\//i.test(address) ? address : /^[a-z][a-z0-9+.-]*:/i.test(address) ? null : `http://${address}`;
  return safe ? el("a", { href: safe, target: "_blank", rel: "noopener noreferrer" }, ...children) : el("span", {}, ...children);
}
