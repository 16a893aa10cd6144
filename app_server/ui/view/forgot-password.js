/** /forgot-password: asks for a message with a link. What it says is the same for every address. */

import { forgotPassword } from "../api/account.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { inboxCard, onwards } from "./inbox-card.js";
import { formActions, sendForm, textField } from "./settings/form.js";

export class ForgotPassword extends Component {
  connected() {
    render(this, inboxCard("Forgot your password?", "Enter your e-mail address. We send you a link with which you can choose a new one.", html`
      <form>
        ${textField({ name: "email", label: "E-mail", type: "email", autocomplete: "username", required: true })}
        ${formActions("Send the link")}
      </form>
      <p class="account-other"><a href="/signin">Back to sign-in</a></p>`));
    sendForm(this, find(this, "form", HTMLFormElement), {
      busy: "Sending…",
      send: async (data) => {
        const email = String(data.get("email")).trim();
        await forgotPassword(email, this.signal);
        return email;
      },
      done: (email) => {
        render(this, inboxCard("Look into your inbox", html`If there is an account for ${email}, a message with a link is on its way. The link works for an hour. Nothing there? Look into the spam folder, too.`,
          onwards("/signin", "Back to sign-in")));
        find(this, "h1", HTMLElement).focus();
      },
    });
  }
}
