/** Settings of a guest: what an account would change. */

import { html } from "../../lib/html.js";
import { SettingsSection } from "./section.js";

export class GuestSection extends SettingsSection {
  show() {
    this.render(html`<section class="settings-part">
      <h4>You are here as a guest</h4>
      <p class="settings-note">Your documents and the places in them are kept while you come back within a week, in this browser only.
        With an account they stay, and you find them on every device. They come along by themselves.</p>
      <p class="settings-actions"><a class="button button-primary" href="/signup">Create an account</a> <a class="button" href="/signin">Sign in</a></p>
    </section>`);
  }
}
