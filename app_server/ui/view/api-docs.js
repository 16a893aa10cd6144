/** The browser API for people: what /api/openapi.json says, to be read and searched. */

import { sendJson } from "../api/http.js";
import { Component } from "../lib/component.js";
import { find, html, render } from "../lib/html.js";
import { isAbort } from "../lib/signals.js";

/**
 * @typedef {{$ref?: string, type?: string, title?: string, description?: string, enum?: unknown[], const?: unknown, items?: Schema,
 *   anyOf?: Schema[], allOf?: Schema[], properties?: Record<string, Schema>, required?: string[], additionalProperties?: Schema | boolean,
 *   minimum?: number, maximum?: number, minLength?: number, maxLength?: number, pattern?: string}} Schema
 * @typedef {{description?: string, content?: Record<string, {schema?: Schema}>}} Answer
 * @typedef {{operationId: string, summary: string, tags: string[], security: Record<string, string[]>[], "x-problem-codes": string[],
 *   parameters?: {name: string, in: string, required: boolean, schema: Schema}[], requestBody?: Answer, responses: Record<string, Answer>}} Operation
 * @typedef {{info: {version: string}, paths: Record<string, Record<string, Operation>>, components: {schemas: Record<string, Schema>}}} ApiDocument
 * @typedef {{method: string, path: string, operation: Operation}} Entry
 */

export class ApiDocs extends Component {
  connected() {
    this.setAttribute("aria-busy", "true");
    void this.#load();
  }

  async #load() {
    try {
      this.#show(await sendJson("GET", "/api/openapi.json", { signal: this.signal }));
    } catch (error) {
      if (isAbort(error)) return;
      render(this, html`<div class="notice" role="alert"><h1>The description of the API could not be loaded</h1>
        <p>${error instanceof Error ? error.message : ""}</p>
        <p class="notice-actions"><button class="button button-primary">Try again</button></p></div>`);
      this.listen(find(this, "button", HTMLButtonElement), "click", () => void this.#load());
    } finally {
      this.removeAttribute("aria-busy");
    }
  }

  /** @param {ApiDocument} api */
  #show(api) {
    const entries = Object.entries(api.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })));
    const tags = [...new Set(entries.flatMap((entry) => entry.operation.tags))];
    render(this, html`
      <header class="api-head">
        <p class="wordmark"><a href="/app">Lectern</a></p>
        <h1>API <small>${api.info.version}</small></h1>
        <p>Programs of yours send an API token, made under <a href="/app/settings/tokens">Settings → API tokens</a>, as
          <code>Authorization: Bearer lectern_…</code>. Errors are <code>application/problem+json</code> with a stable <code>code</code>.
          For tools there is <a href="/api/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
        <label class="unseen" for="api-filter">Filter the operations</label>
        <input id="api-filter" type="search" placeholder="Filter, such as documents or token" autocomplete="off" spellcheck="false">
        <p class="unseen" role="status"></p>
      </header>
      ${tags.map((tag) => html`<section class="api-tag"><h2>${tag}</h2>
        ${entries.filter((entry) => entry.operation.tags.includes(tag)).map(shownOperation)}</section>`)}
      <p class="api-none" hidden>No operation fits this filter.</p>
      <section class="api-tag api-schemas"><h2>Models</h2>
        ${Object.entries(api.components.schemas).map(([name, schema]) => shownModel(name, schema))}</section>`);
    const field = find(this, "#api-filter", HTMLInputElement);
    this.listen(field, "input", () => this.#filter(field.value.trim().toLowerCase()));
    this.listen(window, "hashchange", () => this.#openTarget());
    this.#openTarget();
  }

  /** @param {string} wanted */
  #filter(wanted) {
    let count = 0;
    for (const operation of this.querySelectorAll("details.api-operation")) {
      const fits = (operation.textContent ?? "").toLowerCase().includes(wanted);
      operation.toggleAttribute("hidden", !fits);
      if (fits) count += 1;
    }
    for (const section of this.querySelectorAll(".api-tag:not(.api-schemas)")) {
      section.toggleAttribute("hidden", !section.querySelector("details:not([hidden])"));
    }
    find(this, ".api-none", HTMLElement).hidden = count > 0;
    find(this, "[role=status]", HTMLElement).textContent = count === 1 ? "1 operation" : `${count} operations`;
  }

  /** An address with a fragment opens what it names; what is closed cannot be scrolled to. */
  #openTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!(target instanceof HTMLDetailsElement)) return;
    target.open = true;
    target.scrollIntoView();
    target.querySelector("summary")?.focus();
  }
}

/** @param {Entry} entry */
function shownOperation({ method, path, operation }) {
  return html`<details class="api-operation" id="${operation.operationId}">
    <summary><span class="api-method" data-method="${method}">${method}</span> <code>${path}</code> <span class="api-summary">${operation.summary}</span></summary>
    <dl>
      <dt>Who may</dt><dd>${whoMay(operation.security)}</dd>
      ${operation.parameters ? html`<dt>Parameters</dt><dd><ul>${operation.parameters.map((parameter) =>
        html`<li><code>${parameter.name}</code> <span class="api-faint">${parameter.in}${parameter.required ? ", required" : ""}</span> ${shownType(parameter.schema)}</li>`)}</ul></dd>` : ""}
      ${operation.requestBody ? html`<dt>Body</dt><dd>${shownContent(operation.requestBody)}</dd>` : ""}
      <dt>Answers</dt><dd><ul>${Object.entries(operation.responses).filter(([status]) => status !== "default").map(([status, answer]) =>
        html`<li><strong>${status}</strong> ${answer.content ? shownContent(answer) : answer.description}</li>`)}</ul></dd>
      ${operation["x-problem-codes"].length > 0 ? html`<dt>Problems</dt><dd class="api-codes">${operation["x-problem-codes"].map((code) => html`<code>${code}</code> `)}</dd>` : ""}
    </dl>
  </details>`;
}

/** @param {Operation["security"]} security */
function whoMay(security) {
  const scopes = security.flatMap((way) => way.token ?? []);
  if (security.length === 0) return "Anybody, or who has the secret that the address asks for.";
  if (scopes.length === 0) return "Signed-in people; no API token.";
  return html`Signed-in people, and API tokens with the scope <code>${scopes.join(", ")}</code>.`;
}

/** @param {Answer} answer */
function shownContent(answer) {
  return Object.entries(answer.content ?? {}).map(([type, { schema }]) =>
    html`<span class="api-content"><code>${type}</code>${schema && type !== "text/event-stream" ? html` ${shownType(schema)}` : ""}</span> `);
}

/** @param {string} name @param {Schema} schema */
function shownModel(name, schema) {
  const required = new Set(schema.required);
  return html`<details class="api-model" id="model-${name}">
    <summary><code>${name}</code></summary>
    ${schema.description ? html`<p>${schema.description}</p>` : ""}
    ${schema.properties ? html`<ul>${Object.entries(schema.properties).map(([property, described]) =>
      html`<li><code>${property}</code>${required.has(property) ? "" : html` <span class="api-faint">optional</span>`} ${shownType(described)}</li>`)}</ul>`
      : html`<p>${shownType(schema)}</p>`}
  </details>`;
}

/** @param {Schema | undefined} schema @returns {import("../lib/html.js").Html} */
function shownType(schema) {
  if (!schema) return html`anything`;
  if (schema.$ref) {
    const name = schema.$ref.split("/").at(-1);
    return html`<a href="#model-${name}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.allOf;
  if (choices) return html`${choices.map((choice, index) => html`${index > 0 ? " or " : ""}${shownType(choice)}`)}`;
  if (schema.enum) return html`${schema.enum.map((value, index) => html`${index > 0 ? " or " : ""}<code>${JSON.stringify(value)}</code>`)}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.type === "array") return html`list of ${shownType(schema.items)}`;
  if (schema.type === "object" && typeof schema.additionalProperties === "object") return html`object of ${shownType(schema.additionalProperties)}`;
  return html`${schema.type ?? "anything"}${limits(schema)}`;
}

/** @param {Schema} schema */
function limits(schema) {
  const texts = [
    schema.minimum === undefined ? "" : `at least ${schema.minimum}`,
    schema.maximum === undefined ? "" : `at most ${schema.maximum}`,
    schema.minLength === undefined ? "" : `at least ${schema.minLength} characters`,
    schema.maxLength === undefined ? "" : `at most ${schema.maxLength} characters`,
  ].filter(Boolean);
  return texts.length > 0 ? html` <span class="api-faint">(${texts.join(", ")})</span>` : "";
}
