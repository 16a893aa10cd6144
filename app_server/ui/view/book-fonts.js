/** The type that a book brings for its text, offered under Appearance; loaded for such books only. */

import { resourceUrl } from "../api/reading.js";
import { find, html, render } from "../lib/html.js";
import { toast } from "./toasts.js";

const CHOICES = /** @type {const} */ ([["own", "Lectern's"], ["book", "The book's"]]);

/**
 * @param {import("./reader.js").Reader} reader
 * @param {string} documentId
 * @param {import("../api/types.js").ReadingDocument["fonts"]} fonts
 */
export function offerBookFont(reader, documentId, fonts) {
  const { preferences } = reader;
  const family = `Book ${documentId}`;
  const choice = document.createElement("fieldset");
  choice.className = "choices";
  render(choice, html`<legend>Font</legend><div class="segmented">
    ${CHOICES.map(([value, text]) => html`<label><input type="radio" name="font" value="${value}"${value === preferences.get("font") ? html` checked` : ""}><span>${text}</span></label>`)}
  </div>`);
  find(reader, "#appearance", HTMLElement).append(choice);
  const text = find(reader, ".book-text", HTMLElement);
  /** @type {Promise<boolean> | null} */
  let loading = null;
  const apply = async () => {
    if (preferences.get("font") === "book") {
      const isThere = await (loading ??= loadFaces(family, documentId, fonts));
      if (!isThere) return toast({ message: "The book's own font can't be used: it is damaged." });
    }
    text.style.fontFamily = preferences.get("font") === "book" ? `"${family}", var(--font-reading)` : "";
    return undefined;
  };
  reader.listen(preferences, "change", (event) => event.detail === "font" && void apply());
  void apply();
}

/** The browser checks what it draws with. @param {string} family @param {string} documentId @param {import("../api/types.js").ReadingDocument["fonts"]} fonts */
async function loadFaces(family, documentId, fonts) {
  const faces = fonts.map(({ resource = "", weight = 400, isItalic = false }) =>
    new FontFace(family, `url("${resourceUrl(documentId, resource)}")`, { weight: String(weight), style: isItalic ? "italic" : "normal" }));
  const loaded = await Promise.allSettled(faces.map((face) => face.load()));
  for (const face of faces) if (face.status === "loaded") document.fonts.add(face);
  return loaded.some(({ status }) => status === "fulfilled");
}
