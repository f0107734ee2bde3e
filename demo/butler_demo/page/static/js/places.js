// Which view is open, and how much is new in the others.

import { $ } from "./dom.js";

const MIDDLE = new Set(["sent", "yours", "butler"]);
const news = new Map();
const onShown = new Map();

export function go(place) {
  document.body.dataset.place = place;
  if (MIDDLE.has(place)) document.body.dataset.middle = place;
  draw();
  onShown.get(place)?.();
}

export function whenShown(place, callback) {
  onShown.set(place, callback);
}

export function addNews(place) {
  if (isSeen(place)) return;
  news.set(place, (news.get(place) ?? 0) + 1);
  draw();
}

export function begin() {
  for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(button.dataset.go));
  window.addEventListener("resize", draw);
  draw();
}

function isSeen(place) {
  return $(place === "chat" ? ".column.chat" : `[data-panel="${place}"]`).checkVisibility();
}

function draw() {
  const { place, middle } = document.body.dataset;
  for (const known of news.keys()) if (isSeen(known)) news.delete(known);
  for (const tab of document.querySelectorAll("#tabs [data-go]")) {
    const current = place === "underneath" ? tab.dataset.go === place && matchMedia("(max-width: 1120px)").matches : tab.dataset.go === middle;
    tab.setAttribute("aria-selected", current);
  }
  for (const tab of document.querySelectorAll("#tabbar [data-go]")) tab.setAttribute("aria-current", tab.dataset.go === place);
  for (const badge of document.querySelectorAll("[data-go] .badge")) {
    const count = news.get(badge.parentElement.dataset.go) ?? 0;
    badge.hidden = count === 0;
    badge.textContent = count || "";
  }
}
