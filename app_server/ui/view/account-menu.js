/** The button of the account with its menu: who is here, and the way to settings and out. Emits `sign-out`. */

import { Component } from "../lib/component.js";
import { html, render } from "../lib/html.js";
import { icon } from "./icons.js";

/** @typedef {import("../api/types.js").User} User */

/** @type {Record<User["kind"], (user: User) => import("../lib/html.js").Html>} */
const MENUS = {
  account: ({ email }) => html`
    <p class="account-email">${email}</p>
    <a class="button button-wide" href="/app/settings">Settings</a>
    <button type="button" class="button button-wide" data-do="sign-out">Sign out</button>`,
  anonymous: () => html`
    <p class="account-email">You are here as a guest</p>
    <a class="button button-primary button-wide" href="/signup">Create an account</a>
    <a class="button button-wide" href="/signin">Sign in</a>
    <button type="button" class="button button-wide" data-do="sign-out">Leave and delete everything</button>`,
  local: () => html`
    <p class="account-email">Only you use this Lectern</p>
    <a class="button button-wide" href="/app/settings">Settings</a>`,
};

export class AccountMenu extends Component {
  connected() {
    render(this, html`
      <button type="button" class="icon-button" popovertarget="account-menu" aria-label="Account" title="Account">${icon("account")}</button>
      <div id="account-menu" class="popover" popover></div>`);
    this.listen(this, "click", (event) => event.target.closest("[data-do=sign-out]") && this.emit("sign-out"));
  }

  /** @param {User} user */
  set user(user) {
    const menu = this.querySelector(".popover");
    if (menu) render(menu, MENUS[user.kind](user));
  }
}
