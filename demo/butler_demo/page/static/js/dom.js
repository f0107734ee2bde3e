// Building elements. Text is always text: nothing here takes HTML.

export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") node.className = value;
    else if (name === "data") Object.assign(node.dataset, value);
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export const $ = (selector) => document.querySelector(selector);

export const initial = (name) => (name.trim().match(/\p{L}|\p{N}/u)?.[0] ?? "?").toUpperCase();

export function nameOf(sender) {
  const match = sender.match(/^\s*"?([^"<]*?)"?\s*<([^>]*)>/);
  return match ? match[1] || match[2] : sender;
}

// Written as the butler writes them, whatever the browser's language: Fri 27 Nov 14:05.
const format = (options) => {
  const formatter = new Intl.DateTimeFormat("en-GB", options);
  return (at) => formatter.format(at).replaceAll(",", "");
};
const time = format({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const exact = format({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const day = format({ weekday: "long", day: "numeric", month: "long" });
const short = format({ weekday: "short", day: "2-digit", month: "short" });
const dayKey = (at) => new Date(at).toDateString();

export const clockTime = (at) => time(at);
export const exactTime = (at) => exact(at);
export const fullTime = (at) => `${short(at)} ${new Date(at).getFullYear()} ${time(at)}`;
export const dayName = (at) => (dayKey(at) === dayKey(Date.now()) ? "Today" : day(at));
export const listTime = (at) => (dayKey(at) === dayKey(Date.now()) ? time(at) : short(at));
export const sameDay = (one, other) => dayKey(one) === dayKey(other);

export function mark(node, name) {
  node.classList.add(name);
  node.addEventListener("animationend", () => node.classList.remove(name), { once: true });
}
