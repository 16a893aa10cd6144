/** Composition: each page's elements, and the collaborators they share. */

import { Preferences } from "./model/preferences.js";

const preferences = new Preferences(storage());

/** @type {Record<string, () => Promise<void>>} */
const PAGES = {
  async landing() {
    const { Landing } = await import("./view/landing.js");
    define("lectern-landing", Landing, {});
  },
  async signin() {
    const { AccountForm } = await import("./view/account-form.js");
    define("lectern-account-form", AccountForm, {});
  },
  signup: () => /** @type {() => Promise<void>} */ (PAGES.signin)(),
  async "verify-email"() {
    const { VerifyEmail } = await import("./view/verify-email.js");
    define("lectern-verify-email", VerifyEmail, {});
  },
  async "forgot-password"() {
    const { ForgotPassword } = await import("./view/forgot-password.js");
    define("lectern-forgot-password", ForgotPassword, {});
  },
  async "reset-password"() {
    const { ResetPassword } = await import("./view/reset-password.js");
    define("lectern-reset-password", ResetPassword, {});
  },
  async app() {
    const [{ Library }, { ThemeChooser }, { Toasts }, { openSettingsByAddress }] = await Promise.all([
      import("./view/library.js"), import("./view/theme.js"), import("./view/toasts.js"), import("./view/settings/door.js"),
    ]);
    customElements.define("lectern-toasts", Toasts);
    define("lectern-theme", ThemeChooser, { preferences });
    define("lectern-library", Library, { preferences });
    openSettingsByAddress();
  },
  async "api-docs"() {
    const { ApiDocs } = await import("./view/api-docs.js");
    define("lectern-api-docs", ApiDocs, {});
  },
  async read() {
    const [{ Reader }, { ThemeChooser }, { Toasts }] = await Promise.all([
      import("./view/reader.js"), import("./view/theme.js"), import("./view/toasts.js"),
    ]);
    customElements.define("lectern-toasts", Toasts);
    define("lectern-theme", ThemeChooser, { preferences });
    define("lectern-reader", Reader, { preferences });
  },
};

/**
 * Elements are made by the parser, so their collaborators reach them through a subclass and not a constructor call.
 * @param {string} name
 * @param {CustomElementConstructor} Element
 * @param {object} collaborators
 */
function define(name, Element, collaborators) {
  customElements.define(name, class extends Element {
    constructor() {
      super();
      Object.assign(this, collaborators);
    }
  });
}

/** Reading `localStorage` itself throws where storage is forbidden. */
function storage() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

const theme = () => {
  const chosen = preferences.get("theme");
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
};
theme();
preferences.addEventListener("change", theme);
await PAGES[document.body.dataset.page ?? ""]?.();
