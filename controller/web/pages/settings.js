// @ts-check
// How a person wants the pages to look, kept in this browser. Nothing of a table is ever kept.
import { html, useEffect, useState } from "./vendor/preact-htm.js";
import { languages, t } from "./texts.js";

const KEY = "tableside.look";

/** @typedef {{ theme: "auto" | "light" | "dark", suits: "two" | "four", side: "players" | "dealer", felt: "auto" | "list", language: string }} Settings */

/** @type {Settings} */
const USUAL = { theme: "auto", suits: "two", side: "players", felt: "auto", language: "auto" };

/** @returns {Settings} */
export function settings() {
  try {
    return { ...USUAL, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return USUAL;
  }
}

/** Put the choices on the document, where the style sheet finds them. @param {Settings} chosen */
export function wear(chosen) {
  document.documentElement.dataset.theme = chosen.theme;
  document.documentElement.dataset.suits = chosen.suits;
}

/** @returns {[Settings, (change: Partial<Settings>) => void]} */
export function useSettings() {
  const [chosen, setChosen] = useState(settings());
  const change = (/** @type {Partial<Settings>} */ some) => {
    const next = { ...chosen, ...some };
    try {
      localStorage.setItem(KEY, JSON.stringify(next));
    } catch {
      // A browser that keeps nothing shows it all the same.
    }
    wear(next);
    setChosen(next);
  };
  return [chosen, change];
}

const CHOICES = /** @type {const} */ ({
  theme: ["auto", "light", "dark"],
  suits: ["two", "four"],
  side: ["players", "dealer"],
  felt: ["auto", "list"],
});

/** @param {{ chosen: Settings, change: (some: Partial<Settings>) => void }} of */
export function SettingsPanel({ chosen, change }) {
  return html`<form class="settings">${Object.entries(CHOICES).map(
    ([name, values]) => html`<label key=${name}>${t(`setting.${name}`)}
      <select value=${chosen[/** @type {keyof Settings} */ (name)]} onChange=${(/** @type {{ target: HTMLSelectElement }} */ { target }) => change({ [name]: target.value })}>
        ${values.map((value) => html`<option key=${value} value=${value} selected=${chosen[/** @type {keyof Settings} */ (name)] === value}>${t(`setting.${name}.${value}`)}</option>`)}
      </select></label>`,
  )}<${Language} chosen=${chosen} change=${change} /></form>`;
}

/** Which language the pages speak, where there is a choice; the page is loaded anew in it. @param {{ chosen: Settings, change: (some: Partial<Settings>) => void }} of */
function Language({ chosen, change }) {
  if (languages().length < 2) return null;
  const speak = (/** @type {{ target: HTMLSelectElement }} */ { target }) => {
    change({ language: target.value });
    location.replace(location.pathname);
  };
  return html`<label>${t("setting.language")}
    <select value=${chosen.language} onChange=${speak}>
      ${[["auto", t("setting.language.auto")], ...languages()].map(([code, name]) => html`<option key=${code} value=${code} selected=${chosen.language === code}>${name}</option>`)}
    </select></label>`;
}

/** Where a felt is too small to read. */
const NARROW = "(max-width: 700px)";

/** Whether the screen is a narrow one, now and later. */
export function useNarrow() {
  const [isNarrow, setNarrow] = useState(matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const look = () => setNarrow(query.matches);
    query.addEventListener("change", look);
    return () => query.removeEventListener("change", look);
  }, []);
  return isNarrow;
}
