/** The settings dialog: a list of sections and the one that the address names. */

import { getSession } from "../../api/session.js";
import { Component } from "../../lib/component.js";
import { find, html, render } from "../../lib/html.js";
import { isAbort } from "../../lib/signals.js";
import { ConfirmDialog } from "../confirm-dialog.js";
import { leaveIfSignedOut, messageOf } from "../failures.js";
import { icon } from "../icons.js";
import { sectionOf } from "./door.js";
import { visibleSections } from "./sections.js";
import { failure, loading } from "./states.js";

/** @typedef {import("./sections.js").Section} Section */
/** @typedef {import("./section.js").SettingsContext} SettingsContext */

const PHONE = matchMedia("(max-width: 44rem)");

export class Settings extends Component {
  #titleBefore = document.title;
  /** @type {import("../../api/types.js").Session | null} */
  #session = null;
  /** Of the section that is shown or being loaded. @type {string | null} */
  #shown = null;
  /** Where the pointer went down: a selection that ends beside the dialog is no click beside it. @type {EventTarget | null} */
  #pressed = null;

  connected() {
    render(this, frame());
    const dialog = this.#dialog();
    this.listen(dialog, "pointerdown", (event) => (this.#pressed = event.target));
    this.listen(dialog, "click", (event) => this.#onClick(event));
    this.listen(dialog, "cancel", (event) => {
      if (event.target !== dialog) return;
      event.preventDefault();
      this.#leave();
    });
    this.listen(PHONE, "change", () => this.followAddress());
  }

  /** Show what the address names; close when it names nothing of ours. */
  followAddress() {
    const wanted = sectionOf(location.pathname);
    if (wanted === null) return this.#close();
    const dialog = this.#dialog();
    if (!dialog.open) {
      this.#titleBefore = document.title;
      dialog.showModal();
    }
    if (this.#session) return this.#showSection(wanted);
    return void this.#loadSession();
  }

  #dialog() {
    return find(this, ".settings", HTMLDialogElement);
  }

  async #loadSession() {
    const content = find(this, ".settings-content", HTMLElement);
    render(content, loading());
    try {
      await this.#refreshSession();
    } catch (error) {
      if (isAbort(error) || leaveIfSignedOut(error)) return;
      render(content, failure(messageOf(error)));
    }
  }

  async #refreshSession() {
    const session = await getSession(this.signal);
    if (!session.user) return location.assign(`/signin?${new URLSearchParams({ next: location.pathname })}`);
    this.#session = session;
    document.dispatchEvent(new CustomEvent("session-changed", { detail: session }));
    render(find(this, ".settings-list", HTMLElement), sectionList(this.#sections()));
    const wanted = sectionOf(location.pathname);
    if (wanted !== null) this.#showSection(wanted);
  }

  #sections() {
    return this.#session?.user ? visibleSections(this.#session.user, this.#session.features) : [];
  }

  /** @param {string} id */
  #showSection(id) {
    const sections = this.#sections();
    const section = sections.find((item) => item.id === (id || (PHONE.matches ? "" : sections[0]?.id)));
    this.#dialog().toggleAttribute("data-list", !id);
    for (const link of this.querySelectorAll(".settings-list a")) {
      if (link.getAttribute("href") === `/app/settings/${section?.id}`) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    document.title = `${section ? `${section.title} · ` : ""}Settings · Lectern`;
    const key = section?.id ?? `?${id}`;
    if (this.#shown === key) return;
    const isSwitch = this.#shown !== null;
    this.#shown = key;
    if (!section) return render(find(this, ".settings-content", HTMLElement), id ? unknown() : html``);
    void this.#load(section, { isSwitch });
  }

  /** @param {Section} section @param {{isSwitch: boolean}} how */
  async #load(section, { isSwitch }) {
    const content = find(this, ".settings-content", HTMLElement);
    render(content, html`<h3 tabindex="-1">${section.title}</h3><div>${loading()}</div>`);
    content.scrollTop = 0;
    if (isSwitch) find(content, "h3", HTMLElement).focus();
    const place = /** @type {HTMLElement} */ (content.lastElementChild);
    try {
      const Element = await section.load();
      const session = this.#session;
      if (this.#shown !== section.id || !session?.user) return;
      const name = `lectern-settings-${section.id}`;
      if (!customElements.get(name)) customElements.define(name, Element);
      const element = /** @type {InstanceType<typeof Element>} */ (document.createElement(name));
      element.dataset.section = section.id;
      element.context = {
        session,
        user: session.user,
        refreshSession: () => this.#refreshSession().catch(stayAsItIs),
        confirm: (question) => find(this, "lectern-confirm", ConfirmDialog).ask(question),
      };
      place.replaceWith(element);
    } catch {
      if (this.#shown !== section.id) return;
      this.#shown = null;
      render(place, failure("This part of Lectern could not be loaded. Check your connection and try again."));
    }
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const isBeside = target === this.#dialog() && this.#pressed === target;
    if (isBeside || target.closest("[data-do=close-settings]")) return this.#leave();
    if (target.closest("[data-do=settings-list]")) return this.#toList();
    if (target.closest("[data-do=reload-section]") && !target.closest("[data-section]")) return this.followAddress();
    const link = target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.target || sectionOf(link.pathname) === null) return undefined;
    event.preventDefault();
    return this.#go(link.pathname);
  }

  /** On a phone the list is a step of its own; beside a list, sections take each other's place. @param {string} path */
  #go(path) {
    if (path === location.pathname) return;
    const depth = history.state?.settingsDepth ?? 0;
    if (PHONE.matches && sectionOf(location.pathname) === "") history.pushState({ settingsDepth: depth + 1 }, "", path);
    else history.replaceState({ settingsDepth: depth }, "", path);
    this.followAddress();
  }

  #toList() {
    if ((history.state?.settingsDepth ?? 0) > 1) return history.back();
    history.replaceState(history.state, "", "/app/settings");
    this.followAddress();
    return find(this, ".settings-list a", HTMLElement).focus();
  }

  /** Back to the page below, as if the settings had never been gone to. */
  #leave() {
    const depth = history.state?.settingsDepth ?? 0;
    if (depth) return history.go(-depth);
    history.replaceState(null, "", "/app");
    return this.#close();
  }

  #close() {
    const dialog = this.#dialog();
    if (!dialog.open) return;
    dialog.close();
    this.#shown = null;
    this.#session = null;
    render(find(this, ".settings-content", HTMLElement), html``);
    document.title = this.#titleBefore;
  }
}

/** Who is signed in could not be asked: what is shown stays until the next time. @param {unknown} error */
function stayAsItIs(error) {
  if (!isAbort(error)) leaveIfSignedOut(error);
}

function frame() {
  return html`<dialog class="settings" aria-labelledby="settings-title" data-list>
    <div class="settings-frame">
      <header class="settings-header">
        <button type="button" class="icon-button settings-back" data-do="settings-list" aria-label="All settings" title="All settings">${icon("back")}</button>
        <h2 id="settings-title" tabindex="-1" autofocus>Settings</h2>
        <button type="button" class="icon-button" data-do="close-settings" aria-label="Close settings" title="Close settings">${icon("close")}</button>
      </header>
      <nav class="settings-list" aria-label="Settings"></nav>
      <div class="settings-content"></div>
    </div>
    <lectern-confirm></lectern-confirm>
    <lectern-toasts></lectern-toasts>
  </dialog>`;
}

/** @param {Section[]} sections */
function sectionList(sections) {
  const groups = [...new Set(sections.map((section) => section.group))];
  return html`${groups.map((group) => html`
    <h3 class="eyebrow" id="settings-group-${group.toLowerCase()}">${group}</h3>
    <ul aria-labelledby="settings-group-${group.toLowerCase()}">${sections.filter((section) => section.group === group).map((section) => html`
      <li><a href="/app/settings/${section.id}">${section.title}${icon("chevronRight")}</a></li>`)}</ul>`)}`;
}

function unknown() {
  return html`<div class="section-failure"><p>There is no such section, or it isn't yours to see.</p><a class="button button-small" href="/app/settings">All settings</a></div>`;
}
