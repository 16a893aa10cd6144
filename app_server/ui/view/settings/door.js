/** The way into the settings: addresses under /app/settings, over the page that is open. Loads them when first asked for. */

const ADDRESS = /^\/app\/settings(?:\/([\w-]*))?\/?$/;

/** @returns {string | null} the section that an address names ("" for the list), null for an address of another kind */
export function sectionOf(/** @type {string} */ path) {
  const match = ADDRESS.exec(path);
  return match ? match[1] ?? "" : null;
}

/** Links to settings open the dialog, and so do addresses that are come back to. */
export function openSettingsByAddress() {
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const isOurs = link.origin === location.origin && !link.target && sectionOf(link.pathname) !== null;
    if (!isOurs || link.closest("dialog")) return;
    event.preventDefault();
    // Focus goes back to what opened the menu that the link is in, and from there into the dialog.
    const menu = link.closest("[popover]");
    if (menu instanceof HTMLElement) menu.hidePopover();
    history.pushState({ settingsDepth: 1 }, "", link.href);
    void show();
  });
  addEventListener("popstate", () => void show());
  void show();
}

async function show() {
  const shown = document.querySelector("lectern-settings");
  if (sectionOf(location.pathname) === null && !shown) return;
  const { Settings } = await import("./shell.js");
  if (!customElements.get("lectern-settings")) customElements.define("lectern-settings", Settings);
  let element = document.querySelector("lectern-settings");
  if (!element) document.body.append((element = document.createElement("lectern-settings")));
  if (element instanceof Settings) element.followAddress();
}
