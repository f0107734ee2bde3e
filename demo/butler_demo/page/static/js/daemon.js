// The daemon's state, and what can be done to it.

import { act } from "./api.js";
import { $ } from "./dom.js";
import { note } from "./underneath.js";

const pill = $("#daemon-state");
const kill = $("#daemon-kill");
const start = $("#daemon-start");
const status = $("#chat-status");
let ahead = 0;

export function begin() {
  kill.addEventListener("click", () => act("kill"));
  start.addEventListener("click", () => act("start"));
  $("#skip-hour").addEventListener("click", () => act("advance", { seconds: 3600 }));
}

export function onDaemon(event, live) {
  const { state, pid, detail } = event;
  document.body.dataset.daemon = state;
  pill.dataset.state = state;
  pill.children[1].textContent = state;
  pill.title = detail;
  draw(state === "running" || state === "starting" ? pid : null);
  const up = state === "running" || state === "starting";
  kill.hidden = !up;
  kill.disabled = state === "starting";
  start.hidden = up;
  status.textContent = up ? "your butler, on Telegram" : "the daemon is down; what you write waits for it";
  if (live) note(`daemon ${state}${pid && up ? `, process ${pid}` : ""}${detail ? `: ${detail}` : ""}`);
}

export function onClock(event, live) {
  ahead = event.ahead_s;
  const by = ahead >= 3600 ? `${+(ahead / 3600).toFixed(1)} h` : `${Math.round(ahead / 60)} min`;
  $("#skip-hour .ahead").textContent = ahead ? ` (${by} ahead)` : "";
  if (live) note(`the clock is ${+(ahead / 3600).toFixed(2)} h ahead`);
}

export function onLost(lost) {
  if (!lost) return;
  pill.dataset.state = "ended";
  pill.children[1].textContent = "the demo is gone";
  draw(null);
}

function draw(pid) {
  pill.children[2].textContent = pid ? `pid ${pid}` : "";
}
