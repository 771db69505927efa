// @ts-check
// Every word a page shows comes from one catalogue; another language is another file of the same keys.

/** @type {Record<string, string>} */
let texts = {};

/**
 * Load the catalogue, and over it that of another language where one is asked for.
 * @param {string} language such as "de"; empty: English
 */
export async function loadTexts(language) {
  texts = await catalogue("en");
  if (/^[a-z]{2}$/.test(language) && language !== "en") {
    texts = { ...texts, ...(await catalogue(language).catch(() => ({}))) };
    document.documentElement.lang = language;
  }
}

/** @param {string} language @returns {Promise<Record<string, string>>} */
async function catalogue(language) {
  const answer = await fetch(`/assets/texts.${language}.json`);
  if (!answer.ok) throw new Error(`no texts in ${language}`);
  return answer.json();
}

/**
 * The text of a key, each {name} in it replaced. A key that is missing shows itself.
 * @param {string} key @param {Record<string, unknown>} [values] @returns {string}
 */
export function t(key, values = {}) {
  const text = texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/**
 * The text of a key for a number of things: KEY.one or KEY.other.
 * @param {string} key @param {number} count @param {Record<string, unknown>} [values] @returns {string}
 */
export function tn(key, count, values = {}) {
  return t(`${key}.${count === 1 ? "one" : "other"}`, { count, ...values });
}

/** Whether the catalogue has a key. @param {string} key */
export const has = (key) => key in texts;

/** A name of the wire as words: "blazing7s" from the catalogue, else its underscores as blanks. @param {string} name */
export const bet = (name) => texts[`bet.${name}`] ?? name.replaceAll("_", " ");

/** The same where there is little room. @param {string} name */
export const betInShort = (name) => texts[`bet.short.${name}`] ?? bet(name);
