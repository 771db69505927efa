// @ts-check
// The operator's own key: read from a file the operator chooses, kept in this browser where no script can read it out,
// and never sent. It signs who one is, and what one orders.

/** The purpose for which the signing key is derived (HKDF's info), as docs/guide/operators.md has it. */
const DERIVED_FOR = "tableside.operator.signature.v1";
/** What stands before an Ed25519 seed in PKCS #8 (RFC 8410). */
const PKCS8 = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/** A CURVE secret as ZeroMQ writes it: 32 bytes in Z85. */
const SECRET = /^[0-9a-zA-Z.\-:+=^!/*?&<>()[\]{}@%$#]{40}$/;
const DATABASE = "tableside";
const STORE = "keys";
const OWN = "own";

/** @typedef {{ key: CryptoKey, public: string }} OperatorKey public: 64 hex digits */

/** Whether this browser signs here at all: only over HTTPS or on this machine. */
export const canSign = () => isSecureContext && Boolean(crypto.subtle);

/** @param {ArrayBuffer | Uint8Array} bytes */
const hex = (bytes) => [...new Uint8Array(bytes)].map((one) => one.toString(16).padStart(2, "0")).join("");

/**
 * The signing key of a key file; null: it is none.
 * @param {string} text what `tableside keys curve` wrote @returns {Promise<OperatorKey | null>}
 */
export async function keyOf(text) {
  const secret = text.trim();
  if (!SECRET.test(secret)) return null;
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveBits"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: encoder.encode(DERIVED_FOR) };
  const seed = new Uint8Array(await crypto.subtle.deriveBits(how, base, 256));
  const pkcs8 = new Uint8Array([...PKCS8, ...seed]);
  const readable = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", readable);
  const half = Uint8Array.from(atob(x.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  const key = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", false, ["sign"]);
  return { key, public: hex(half) };
}

/** A text, signed. @param {OperatorKey} own @param {string} text */
export async function signed(own, text) {
  const signature = await crypto.subtle.sign("Ed25519", own.key, new TextEncoder().encode(text));
  return { text, key: own.public, signature: hex(signature) };
}

/** Keep the key until this operator leaves. @param {OperatorKey} own */
export const keep = async (own) => void (await asked("readwrite", (store) => store.put(own, OWN)));

/** The key that is kept; undefined: none is. @returns {Promise<OperatorKey | undefined>} */
export const kept = async () => /** @type {OperatorKey | undefined} */ (await asked("readonly", (store) => store.get(OWN)));

/** Keep no key any longer. */
export const forget = async () => void (await asked("readwrite", (store) => store.delete(OWN)));

/** @param {IDBTransactionMode} mode @param {(store: IDBObjectStore) => IDBRequest} ask @returns {Promise<unknown>} */
function asked(mode, ask) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const request = ask(opening.result.transaction(STORE, mode).objectStore(STORE));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
      request.transaction?.addEventListener("complete", () => opening.result.close());
    };
  });
}
