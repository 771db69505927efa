// @ts-check
// Every word a page shows comes from one catalogue; another language is another file of the same keys.

/** @type {Record<string, string>} */
let texts = {};
/** @type {Record<string, string>} */
let names = {};
let plural = new Intl.PluralRules("en");

/**
 * Load the catalogue, and over it that of the first language wanted that there is one of.
 * @param {readonly string[]} wanted such as "de" or "de-AT", the dearest first
 */
export async function loadTexts(wanted) {
  [texts, names] = await Promise.all([fetched("texts.en.json"), fetched("languages.json")]);
  const language = wanted.map((one) => one.slice(0, 2).toLowerCase()).find((one) => Object.hasOwn(names, one)) ?? "en";
  if (language !== "en") texts = { ...texts, ...(await fetched(`texts.${language}.json`)) };
  document.documentElement.lang = language;
  plural = new Intl.PluralRules(language);
}

/** Each language there is: its code, and its own name for itself. @returns {[string, string][]} */
export const languages = () => Object.entries(names);

/** @param {string} file @returns {Promise<Record<string, string>>} */
async function fetched(file) {
  const answer = await fetch(`/assets/${file}`);
  if (!answer.ok) throw new Error(`no ${file}`);
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
 * The text of a key for a number of things: KEY.one, KEY.other, or another of the language's forms.
 * @param {string} key @param {number} count @param {Record<string, unknown>} [values] @returns {string}
 */
export function tn(key, count, values = {}) {
  const form = `${key}.${plural.select(count)}`;
  return t(form in texts ? form : `${key}.other`, { count, ...values });
}

/** Whether the catalogue has a key. @param {string} key */
export const has = (key) => key in texts;

/** A name of the wire as words: "blazing7s" from the catalogue, else its underscores as blanks. @param {string} name */
export const bet = (name) => texts[`bet.${name}`] ?? name.replaceAll("_", " ");

/** The name on the wire of a bet that is written in the page's words; what is none of these as it was written. @param {string} text */
export function betMeant(text) {
  const found = Object.keys(texts).find((key) => /^bet\.(?!short\.)/.test(key) && texts[key]?.toLowerCase() === text.toLowerCase());
  return found ? found.slice("bet.".length) : text;
}

/** The same where there is little room. @param {string} name */
export const betInShort = (name) => texts[`bet.short.${name}`] ?? bet(name);
