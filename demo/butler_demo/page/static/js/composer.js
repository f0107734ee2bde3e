// Where one writes: the draft, what it replies to, a file to go with it, and suggestions for first requests.

import { $, el } from "./dom.js";

const SUGGESTIONS = [
  "Tell Anna on Telegram that I'll be ten minutes late",
  "Any mail from Bob?",
  "Remind me in 2 minutes to stretch",
  "Why is the server slow?",
  "Call Anna",
  "What can you do?",
];
const draft = $("#draft");
const replying = $("#replying");
let replied = null;

export function beginComposer(say, sendFile) {
  const chips = $("#chips");
  chips.classList.add("first");
  chips.append(...SUGGESTIONS.map((text) => el("button", { type: "button", onclick: () => say(text) }, text)));
  draft.addEventListener("input", grow);
  draft.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      $("#composer").requestSubmit();
    }
    if (event.key === "Escape") replyTo(null);
  });
  replying.querySelector("button").addEventListener("click", () => replyTo(null));
  $("#attach").addEventListener("click", () => $("#file").click());
  $("#file").addEventListener("change", async () => {
    const [file] = $("#file").files;
    if (!file) return;
    const words = draft.value.trim();
    draft.value = "";
    grow();
    if (!(await sendFile(file, words))) { draft.value = words; grow(); }
    $("#file").value = "";
  });
  $("#composer").addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = draft.value.trim();
    if (!text) return;
    draft.value = "";
    grow();
    const target = replied;
    replyTo(null);
    if (!(await say(text, target))) { draft.value = text; grow(); }
  });
}

export const repliedTo = () => replied;

export function replyTo(messageId, text = "") {
  replied = messageId;
  replying.hidden = messageId === null;
  replying.querySelector("span").textContent = text.replace(/\s+/g, " ").slice(0, 160);
  if (messageId !== null) draft.focus();
}

function grow() {
  draft.style.height = "auto";
  draft.style.height = `${draft.scrollHeight + 2}px`;
}
