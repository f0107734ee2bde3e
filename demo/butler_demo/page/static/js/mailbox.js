// One mailbox: its list, and a mail opened.

import { el, fullTime, initial, listTime, mark, nameOf } from "./dom.js";
import { addNews } from "./places.js";

const HIDDEN = new Set(["Draft", "Trash"]);

export class Mailbox {
  // `note` names the mailbox; `tool` is the button above the list, `action` makes the one of an open mail.
  constructor({ panel, place, note, tool, action }) {
    Object.assign(this, { panel, place, note, tool, action });
    this.mails = new Map();
    this.open = null;
    this.fresh = null;
  }

  clear() {
    this.mails.clear();
  }

  onMail(event, live) {
    const isNew = !this.mails.has(event.mail_id);
    if (event.gone) this.mails.delete(event.mail_id);
    else this.mails.set(event.mail_id, event);
    if (!live) return;
    if (isNew && !event.gone && event.folder === "Inbox") {
      this.fresh = event.mail_id;
      addNews(this.place);
    }
    this.render();
  }

  render() {
    const mail = this.mails.get(this.open);
    const top = this.panel.querySelector(".scroll")?.scrollTop ?? 0;
    this.panel.replaceChildren(...(mail ? this.reading(mail) : this.list()));
    this.panel.querySelector(".scroll").scrollTop = top;
    this.fresh = null;
  }

  list() {
    const shown = [...this.mails.values()].filter((mail) => !HIDDEN.has(mail.folder)).sort((a, b) => b.at - a.at);
    return [
      el("div", { class: "tools" }, el("p", {}, this.note), this.tool?.() ?? null),
      el("div", { class: "scroll" }, ...(shown.length ? shown.map((mail) => this.row(mail)) : [el("p", { class: "empty" }, "No mail.")])),
    ];
  }

  row(mail) {
    const sent = mail.folder === "Sent";
    const who = sent ? `To ${nameOf(mail.recipients)}` : nameOf(mail.sender);
    const tag = mail.folder === "Inbox" ? null : el("span", { class: "tag" }, mail.folder);
    const node = el("button", { class: `item mail${mail.unread ? " unread" : ""}`, type: "button", onclick: () => this.show(mail.mail_id) },
      el("span", { class: "dot" }),
      el("div", {},
        el("div", { class: "line" }, el("b", {}, who), tag, el("time", {}, listTime(mail.at))),
        el("div", { class: "subject" }, mail.subject || "(no subject)"),
        el("div", { class: "preview" }, mail.text.replace(/\s+/g, " ").slice(0, 160))));
    if (mail.mail_id === this.fresh) mark(node, "arriving");
    return node;
  }

  show(mailId) {
    this.open = mailId;
    this.render();
    this.panel.querySelector(".scroll").scrollTop = 0;
  }

  reading(mail) {
    const name = nameOf(mail.sender);
    const back = el("button", { class: "icon", type: "button", onclick: () => this.show(null) }, "‹ Back");
    return [
      el("div", { class: "tools" }, back, this.action?.(mail) ?? null),
      el("div", { class: "scroll" }, el("article", { class: "paper" },
        el("h2", {}, mail.subject || "(no subject)"),
        el("div", { class: "who" }, el("span", { class: "avatar" }, initial(name)),
          el("div", {}, el("b", {}, name), el("p", {}, `${mail.sender} → ${mail.recipients}`), el("time", {}, fullTime(mail.at)))),
        el("div", { class: "body" }, mail.text.trim()),
        mail.attachments.length ? el("p", { class: "enclosures" }, `Attached: ${mail.attachments.join(", ")}`) : null)),
    ];
  }
}
