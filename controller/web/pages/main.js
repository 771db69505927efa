// @ts-check
// Shows the page that the address names.
import { DealerPage } from "./dealer_page.js";
import { RoundPage } from "./round_page.js";
import { JournalsPage, RoundsPage } from "./rounds_page.js";
import { ShiftPage } from "./shift_page.js";
import { SignPage } from "./sign_page.js";
import { PitPage } from "./pit_page.js";
import { TablesPage } from "./tables_page.js";
import { TablePage } from "./table_page.js";
import { TechnicianPage } from "./technician_page.js";
import { FloorPage } from "./floor_page.js";
import { loadSession } from "./session.js";
import { settings, wear } from "./settings.js";
import { loadTexts } from "./texts.js";
import { html, render } from "./vendor/preact-htm.js";

const NAME = /^[a-z0-9-]{1,32}\/[a-z0-9-]{1,32}$/;

/** @param {string} path */
function pageAt(path) {
  const [, kind, ...rest] = decodeURI(path).split("/");
  const name = rest.join("/");
  if (kind === "table" && NAME.test(name)) return html`<${TablePage} name=${name} />`;
  if (kind === "dealer" && NAME.test(name)) return html`<${DealerPage} name=${name} />`;
  if (kind === "sign" && NAME.test(name)) return html`<${SignPage} name=${name} />`;
  if (kind === "technician" && NAME.test(name)) return html`<${TechnicianPage} name=${name} />`;
  if (kind === "shift" && !name) return html`<${FloorPage} />`;
  if (kind === "shift" && NAME.test(name)) return html`<${ShiftPage} name=${name} />`;
  if (kind === "pit") return html`<${PitPage} target=${Number(new URLSearchParams(location.search).get("target")) || 0} />`;
  if (kind === "round") return roundAt(rest);
  return html`<${TablesPage} />`;
}

/** @param {string[]} words the address below /round: site, table, epoch, round */
function roundAt(words) {
  const [site = "", table = "", epoch = "", round = ""] = words;
  if (!NAME.test(`${site}/${table}`) || !/^\d+$/.test(epoch)) return html`<${JournalsPage} />`;
  const journal = `${site}/${table}/${epoch}`;
  return /^\d+$/.test(round) ? html`<${RoundPage} journal=${journal} round=${round} />` : html`<${RoundsPage} journal=${journal} />`;
}

const place = document.getElementById("page");
wear(settings());
const asked = new URLSearchParams(location.search).get("lang");
await Promise.all([loadTexts([asked ?? settings().language, ...navigator.languages]), loadSession()]);
if (place) {
  place.replaceChildren();
  render(pageAt(location.pathname), place);
}
