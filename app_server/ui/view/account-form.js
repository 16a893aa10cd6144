/** Signing in and signing up. */

import { ApiError } from "../api/http.js";
import { enter } from "../api/session.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { isAbort } from "../lib/signals.js";

const TEXTS = {
  "sign-in": {
    title: "Welcome back", action: "Sign in", busy: "Signing in…", autocomplete: "current-password",
    other: html`New to Lectern? <a href="/signup">Create an account</a>`,
  },
  "sign-up": {
    title: "Create your account", action: "Create account", busy: "Creating your account…", autocomplete: "new-password",
    other: html`Have an account already? <a href="/signin">Sign in</a>`,
  },
};

export class AccountForm extends Component {
  get #mode() {
    return this.getAttribute("mode") === "sign-up" ? "sign-up" : "sign-in";
  }

  connected() {
    const text = TEXTS[this.#mode];
    const isNew = this.#mode === "sign-up";
    render(this, html`<section class="account-card">
      <p class="wordmark"><img src="/ui/icon.svg" alt="" width="32" height="32"> Lectern</p>
      <h1>${text.title}</h1>
      <p class="account-hint">Drop in a book, press play, and follow every word as it is read to you.</p>
      <form novalidate>
        <div class="field">
          <label for="email">E-mail</label>
          <input id="email" name="email" type="email" autocomplete="username" autocapitalize="off" spellcheck="false" required autofocus aria-describedby="email-error">
          <p class="field-error" id="email-error"></p>
        </div>
        <div class="field">
          <label for="password">Password</label>
          <input id="password" name="password" type="password" autocomplete="${text.autocomplete}" required minlength="${isNew ? 8 : 1}" aria-describedby="password-hint password-error">
          ${isNew ? html`<p class="field-hint" id="password-hint">At least 8 characters. A few words are easier to remember than a jumble.</p>` : ""}
          <p class="field-error" id="password-error"></p>
        </div>
        <p class="form-error" role="alert"></p>
        <button class="button button-primary button-wide">${text.action}</button>
      </form>
      <p class="account-other">${text.other}</p>
    </section>`);
    this.listen(find(this, "form", HTMLFormElement), "submit", (event) => {
      event.preventDefault();
      void this.#submit(event.target);
    });
    this.listen(this, "input", (event) => this.#fieldError(event.target.name, ""));
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
      await enter(this.#mode, { email: String(data.get("email")).trim(), password: String(data.get("password")) }, this.signal);
      location.assign(returnAddress());
    } catch (error) {
      if (isAbort(error)) return;
      const fields = error instanceof ApiError ? Object.entries(error.fields).filter(([name]) => form.elements.namedItem(name)) : [];
      for (const [name, message] of fields) this.#fieldError(name, message);
      if (!fields.length) alert.textContent = error instanceof Error ? error.message : String(error);
      button.disabled = false;
      button.textContent = TEXTS[this.#mode].action;
    }
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

/** Where the visitor came from, within this site only. */
function returnAddress() {
  const next = new URLSearchParams(location.search).get("next") ?? "";
  const target = new URL(next || "/app", location.origin);
  return target.origin === location.origin && next.startsWith("/") ? target.href : "/app";
}
