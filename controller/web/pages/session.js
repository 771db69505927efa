// @ts-check
// Who is signed in, and the place in each page's head where one signs in and out.
import { canSign, forget, keep, keyOf, kept, signed } from "./operator_key.js";
import { Symbol } from "./symbols.js";
import { t } from "./texts.js";
import { html, useState } from "./vendor/preact-htm.js";

const WHAT = "tableside.sign_in.v1";

/** @typedef {{ wanted: boolean, name: string, roles: string[], verbs: string[], collected: boolean, journals: boolean }} Session collected, journals: there is a whole floor, there are journals, that this person may look at */

/** @type {Session} */
let known = { wanted: false, name: "", roles: [], verbs: [], collected: false, journals: false };

/** Who is signed in. */
export const session = () => known;

/** Whether this operator may order this. @param {string} verb */
export const may = (verb) => known.verbs.includes(verb);

/** Whether this person is shown all of a table, its alerts too; a dealer and a technician are not. */
export const seesAll = () => !known.wanted || known.roles.some((one) => one === "floor" || one === "surveillance" || one === "auditor");

/** Whether this person is shown how the table's devices and programs are. */
export const seesDevices = () => seesAll() || known.roles.includes("technician");

/** Ask the server who is signed in, once for each page; a key whose operator has left is forgotten. */
export async function loadSession() {
  const answer = await fetch("/api/session").catch(() => null);
  if (answer?.ok) known = await answer.json();
  if (canSign() && answer?.ok && !known.name) await forget().catch(() => undefined);
}

/**
 * Sign in with a key file; why not, in words; empty: signed in.
 * @param {string} text what the file holds
 */
async function enter(text) {
  const own = await keyOf(text);
  if (!own) return t("sign.in.nokey");
  const given = await fetch("/api/challenge", { method: "POST" });
  if (!given.ok) return (await given.text()).trim();
  const { challenge } = await given.json();
  const said = JSON.stringify({ what: WHAT, server: location.origin, challenge });
  const answer = await fetch("/api/sign-in", { method: "POST", body: JSON.stringify(await signed(own, said)) });
  if (!answer.ok) return (await answer.text()).trim();
  await keep(own);
  return "";
}

async function leave() {
  await forget();
  await fetch("/api/sign-out", { method: "POST" });
  location.reload();
}

/** The key of who is signed in; undefined: it was not given in this browser. */
export const ownKey = () => kept();

/** Who is signed in, or where one signs in; nothing where nobody needs to. */
export function Who() {
  const [refused, refuse] = useState("");
  if (!known.wanted) return null;
  if (known.name)
    return html`<div class="who"><b>${known.name}</b> <span class="quiet">${known.roles.map((one) => t(`role.${one}`)).join(", ")}</span>
      <button type="button" onClick=${() => void leave()}>${t("sign.out")}</button></div>`;
  const chosen = async (/** @type {{ target: HTMLInputElement }} */ { target }) => {
    const file = target.files?.[0];
    if (!file) return;
    const why = file.size > 1024 ? t("sign.in.nokey") : await enter(await file.text()).catch((error) => String(error));
    target.value = "";
    refuse(why);
    if (!why) location.reload();
  };
  return html`<details class="look who"><summary><${Symbol} name="key" />${t("sign.in")}</summary><div class="settings">
    ${canSign() ? html`<label class="key-file">${t("sign.in.file")} <input type="file" onChange=${chosen} /></label><p class="quiet">${t("sign.in.never")}</p>` : html`<p>${t("sign.in.insecure")}</p>`}
    ${refused ? html`<p role="alert" class="refused">${refused}</p>` : null}</div></details>`;
}
