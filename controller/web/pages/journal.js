// @ts-check
// What the server says of journals, asked once and kept while the page is open.
import { useEffect, useState } from "./vendor/preact-htm.js";

/**
 * @template T
 * @param {string} path
 * @returns {{ value?: T, refused?: string }}
 */
export function useAnswer(path) {
  const [answer, setAnswer] = useState(/** @type {{ path: string, value?: T, refused?: string }} */ ({ path: "" }));
  useEffect(() => {
    let wanted = true;
    if (path) {
      fetch(path)
        .then(async (said) => (said.ok ? { path, value: await said.json() } : { path, refused: (await said.text()).trim() }))
        .catch((error) => ({ path, refused: String(error) }))
        .then((found) => wanted && setAnswer(found));
    }
    return () => {
      wanted = false;
    };
  }, [path]);
  return answer.path === path ? answer : {};
}

/** @param {string} journal @param {Record<string, string>} search */
export const roundsPath = (journal, search) => `/api/journals/${journal}/rounds?${new URLSearchParams(search)}`;
