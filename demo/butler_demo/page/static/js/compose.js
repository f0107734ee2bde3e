// The dialog with which one mails the butler, or forwards a mail to it.

import { act } from "./api.js";
import { notify } from "./chat.js";
import { $ } from "./dom.js";

const dialog = $("#compose");
const subject = $("#compose-subject");
const body = $("#compose-body");
let send = async () => false;

export function begin() {
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "send" || !(await send())) return;
    subject.value = body.value = "";
    notify("The mail is on its way.");
  });
}

export function newMail() {
  show("Send a mail to the butler", "From me@home.example to butler@home.example", "Text", true);
  send = () => act("mail", { subject: subject.value.trim() || "(no subject)", body: body.value });
  subject.focus();
}

export function forward(mail) {
  show("Forward to the butler", `“${mail.subject}” goes along below your words${mail.attachments.length ? ", with what is attached to it" : ""}. Write nothing to see what the butler would do about it.`, "Your words above it", false);
  send = () => act("forward", { mail_id: mail.mail_id, words: body.value });
  body.focus();
}

function show(title, note, label, withSubject) {
  $("#compose-title").textContent = title;
  $("#compose-note").textContent = note;
  $("#compose-body-label").textContent = label;
  $("#compose-subject-row").hidden = !withSubject;
  dialog.returnValue = "";
  dialog.showModal();
}
