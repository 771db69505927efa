// @ts-check
// Shows the page that the address names.
import { TablesPage } from "./tables_page.js";
import { TablePage } from "./table_page.js";
import { settings, wear } from "./settings.js";
import { loadTexts } from "./texts.js";
import { html, render } from "./vendor/preact-htm.js";

const NAME = /^[a-z0-9-]{1,32}\/[a-z0-9-]{1,32}$/;

/** @param {string} path */
function pageAt(path) {
  const [, kind, ...rest] = decodeURI(path).split("/");
  const name = rest.join("/");
  if (kind === "table" && NAME.test(name)) return html`<${TablePage} name=${name} />`;
  return html`<${TablesPage} />`;
}

const place = document.getElementById("page");
wear(settings());
await loadTexts(new URLSearchParams(location.search).get("lang") ?? "");
if (place) {
  place.replaceChildren();
  render(pageAt(location.pathname), place);
}
