/** Signing in and signing up: by e-mail address and password, at a provider, or as a guest. */

import { ApiError } from "../api/http.js";
import { enter, getSession } from "../api/session.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { isAbort } from "../lib/signals.js";
import { signInNotice } from "../model/sign-in-notices.js";
import { messageOf } from "./failures.js";
import { icon } from "./icons.js";
import { inboxCard, onwards } from "./inbox-card.js";
import { goIn, waysIn } from "./ways-in.js";

/** @typedef {import("../api/types.js").Session} Session */
/** @typedef {"sign-in" | "sign-up"} Mode */

const TEXTS = {
  "sign-in": {
    title: "Welcome back", action: "Sign in", busy: "Signing in…", autocomplete: "current-password",
    hint: "Drop in a book, press play, and follow every word as it is read to you.",
  },
  "sign-up": {
    title: "Create your account", action: "Create account", busy: "Creating your account…", autocomplete: "new-password",
    hint: "Drop in a book, press play, and follow every word as it is read to you.",
  },
};

export class AccountForm extends Component {
  /** Null until it is known. @type {Session | null} */
  #session = null;

  /** @returns {Mode} */
  get #mode() {
    return this.getAttribute("mode") === "sign-up" ? "sign-up" : "sign-in";
  }

  connected() {
    render(this, card(this.#mode));
    this.listen(find(this, "form", HTMLFormElement), "submit", (event) => {
      event.preventDefault();
      void this.#submit(event.target);
    });
    this.listen(this, "input", (event) => this.#fieldError(event.target.name, ""));
    this.listen(this, "click", (event) => {
      const button = event.target.closest("[data-way]");
      if (button) void this.#goIn(button);
    });
    void this.#learn();
  }

  /** What this instance offers, and why somebody is here again. */
  async #learn() {
    try {
      this.#session = await getSession(this.signal);
    } catch (error) {
      if (isAbort(error)) return;
      find(this, ".form-error", HTMLElement).textContent = messageOf(error);
      return;
    }
    const { signIn, user } = this.#session;
    const isGuest = user?.kind === "anonymous";
    render(find(this, ".account-ways", HTMLElement), waysIn(signIn, { isGuest }));
    find(this, ".account-forgotten", HTMLElement).hidden = !signIn.sendsEmail || this.#mode === "sign-up";
    if (isGuest) find(this, ".account-hint", HTMLElement).textContent = "Your documents and the places in them come along into your account.";
    if (this.#mode === "sign-up" && signIn.policy === "approval") find(this, ".account-policy", HTMLElement).hidden = false;
    if (this.#mode === "sign-in" && signIn.policy === "closed") find(this, ".account-other", HTMLElement).hidden = true;
    const query = new URLSearchParams(location.search);
    const failed = query.get("failed") ?? (this.#mode === "sign-up" && signIn.policy === "closed" ? "SIGNUP_CLOSED" : "");
    if (failed) this.#tell(failed, query.get("via") ?? "", this.#mode === "sign-up");
  }

  /**
   * @param {string} code
   * @param {string} [providerId]
   * @param {boolean} [isFinal] whether there is no use in the form
   */
  #tell(code, providerId = "", isFinal = false) {
    const provider = this.#session?.signIn.providers.find(({ id }) => id === providerId)?.name ?? "";
    const notice = signInNotice(code, provider);
    const replaces = notice.isFinal || isFinal;
    const title = replaces ? html`<h1>${notice.title}</h1>` : html`<h2>${notice.title}</h2>`;
    render(find(this, ".account-notice", HTMLElement), html`<div class="sign-in-notice" role="alert">${icon("warning")}
      <div>${title}<p>${notice.text}</p></div></div>`);
    if (!replaces) return;
    for (const part of this.querySelectorAll(".account-card > h1, .account-hint, .account-policy, form, .account-ways")) {
      if (part instanceof HTMLElement) part.hidden = true;
    }
    const other = find(this, ".account-other", HTMLElement);
    other.hidden = false;
    render(other, html`<a class="button button-wide" href="/signin">${code === "SIGNUP_CLOSED" ? "Sign in" : "Back to sign-in"}</a>`);
  }

  /** @param {HTMLButtonElement} button */
  async #goIn(button) {
    const alert = find(this, ".form-error", HTMLElement);
    alert.textContent = "";
    button.disabled = true;
    try {
      await goIn(button, returnAddress(), this.signal);
    } catch (error) {
      if (isAbort(error)) return;
      alert.textContent = messageOf(error);
      button.disabled = false;
    }
  }

  /** @param {HTMLFormElement} form */
  async #submit(form) {
    if (!this.#check(form)) return;
    const button = find(form, "button", HTMLButtonElement);
    const data = new FormData(form);
    const alert = find(form, ".form-error", HTMLElement);
    alert.textContent = "";
    button.disabled = true;
    button.textContent = TEXTS[this.#mode].busy;
    try {
      const email = String(data.get("email")).trim();
      if (!await enter(this.#mode, { email, password: String(data.get("password")) }, this.signal)) return this.#sendToInbox(email);
      location.assign(returnAddress());
    } catch (error) {
      if (isAbort(error)) return;
      button.disabled = false;
      button.textContent = TEXTS[this.#mode].action;
      if (error instanceof ApiError && signInNotice(error.code, "").isFinal) return this.#tell(error.code);
      const fields = error instanceof ApiError ? Object.entries(error.fields).filter(([name]) => form.elements.namedItem(name)) : [];
      for (const [name, message] of fields) this.#fieldError(name, message);
      if (!fields.length) alert.textContent = messageOf(error);
    }
    return undefined;
  }

  /** @param {string} email */
  #sendToInbox(email) {
    render(this, inboxCard("Look into your inbox", html`A message with a link is on its way to ${email}. Follow it within an hour, then sign in. Nothing there? Look into the spam folder, too.`,
      onwards(`/signin${nextOnly()}`, "Sign in")));
    find(this, "h1", HTMLElement).focus();
  }

  /** @param {HTMLFormElement} form */
  #check(form) {
    for (const input of form.querySelectorAll("input")) {
      if (input.validity.valid) continue;
      const message = input.validity.valueMissing ? `Enter your ${input.name === "email" ? "e-mail address" : "password"}.`
        : input.name === "email" ? "This does not look like an e-mail address." : `Use at least ${input.minLength} characters.`;
      this.#fieldError(input.name, message);
      input.focus();
      return false;
    }
    return true;
  }

  /** @param {string} name @param {string} message */
  #fieldError(name, message) {
    const shown = this.querySelector(`#${name}-error`);
    if (!shown) return;
    shown.textContent = message;
    this.querySelector(`#${name}`)?.setAttribute("aria-invalid", String(message !== ""));
  }
}

/** @param {Mode} mode */
function card(mode) {
  const text = TEXTS[mode];
  const isNew = mode === "sign-up";
  return html`<section class="account-card">
    <p class="wordmark"><a href="/"><img src="/ui/icon.svg" alt="" width="32" height="32"> Lectern</a></p>
    <div class="account-notice"></div>
    <h1>${text.title}</h1>
    <p class="account-hint">${text.hint}</p>
    <p class="account-policy" hidden>An administrator approves new accounts before they can be used.</p>
    <form novalidate>
      <div class="field">
        <label for="email">E-mail</label>
        <input id="email" name="email" type="email" autocomplete="username" autocapitalize="off" spellcheck="false" required autofocus aria-describedby="email-error">
        <p class="field-error" id="email-error"></p>
      </div>
      <div class="field">
        <label for="password">Password</label>
        <input id="password" name="password" type="password" autocomplete="${text.autocomplete}" required minlength="${isNew ? 8 : 1}" aria-describedby="${isNew ? "password-hint " : ""}password-error">
        ${isNew ? html`<p class="field-hint" id="password-hint">At least 8 characters. A few words are easier to remember than a jumble.</p>` : ""}
        <p class="field-error" id="password-error"></p>
      </div>
      <p class="form-error" role="alert"></p>
      <button class="button button-primary button-wide">${text.action}</button>
      <p class="account-forgotten" hidden><a href="/forgot-password">Forgot your password?</a></p>
    </form>
    <div class="account-ways"></div>
    <p class="account-other">${isNew
      ? html`Have an account already? <a href="/signin${nextOnly()}">Sign in</a>`
      : html`New to Lectern? <a href="/signup${nextOnly()}">Create an account</a>`}</p>
  </section>`;
}

/** The page to go on to, for the other form. */
function nextOnly() {
  const next = new URLSearchParams(location.search).get("next");
  return next ? `?${new URLSearchParams({ next })}` : "";
}

/** Where the visitor came from, within this site only. */
function returnAddress() {
  const next = new URLSearchParams(location.search).get("next") ?? "";
  const target = new URL(next || "/app", location.origin);
  return target.origin === location.origin && next.startsWith("/") ? target.pathname + target.search : "/app";
}
