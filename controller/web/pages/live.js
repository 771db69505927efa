// @ts-check
// The stream of pictures: what is known at once, then what changes. It comes again by itself, and says when it does not.
import { timesIn } from "./figures.js";
import { useEffect, useState } from "./vendor/preact-htm.js";

const FIRST_MS = 300;
const LAST_MS = 5000;
/** The server says something every five seconds; silence for so long is a lost line. */
const SILENCE_MS = 12000;
const LOG_LIMIT = 60;

/** @returns {import("./wire.js").Live} */
const nothing = () => ({ open: false, linked: false, skew: 0, heard: {}, tables: {}, told: false });

/**
 * Follow a table ("site/name"), or all in short ("*"), until the page is left.
 * @param {string} wanted
 * @returns {import("./wire.js").Live}
 */
export function useLive(wanted) {
  const [live, setLive] = useState(nothing());
  useEffect(() => {
    let state = nothing();
    const show = (/** @type {import("./wire.js").Live} */ next) => {
      state = next;
      setLive(next);
    };
    show(state);
    const line = new Line(wanted, (news) => show(merged(state, news)), () => show({ ...state, open: false }));
    return () => line.end();
  }, [wanted]);
  timesIn(Object.values(live.tables).map((table) => table.info?.time_zone));
  return live;
}

/**
 * @param {import("./wire.js").Live} state @param {import("./wire.js").News} news
 * @returns {import("./wire.js").Live}
 */
export function merged(state, news) {
  const tables = { ...state.tables };
  for (const [name, sections] of Object.entries(news.tables)) {
    const before = tables[name] ?? {};
    const log = sections.log ? joined(before.log ?? [], sections.log) : before.log;
    tables[name] = { ...before, ...sections, ...(log ? { log } : {}) };
  }
  return { open: true, told: true, linked: news.linked, skew: news.now - Date.now(), heard: news.heard, tables };
}

/** @param {import("./wire.js").Logged[]} before @param {import("./wire.js").Logged[]} fresh */
function joined(before, fresh) {
  const first = fresh[0]?.seq ?? 0;
  return [...before.filter((one) => one.seq < first), ...fresh].slice(-LOG_LIMIT);
}

class Line {
  /**
   * @param {string} wanted @param {(news: import("./wire.js").News) => void} told @param {() => void} lost
   */
  constructor(wanted, told, lost) {
    this.wanted = wanted;
    this.told = told;
    this.lost = lost;
    this.pause = FIRST_MS;
    this.ended = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.silence = 0;
    void this.connect();
  }

  async connect() {
    try {
      const answer = await fetch("/api/ticket", { method: "POST" });
      if (!answer.ok) throw new Error(await answer.text());
      const { ticket } = await answer.json();
      if (this.ended) return;
      const scheme = location.protocol === "https:" ? "wss" : "ws";
      const query = new URLSearchParams({ ticket, table: this.wanted });
      const socket = new WebSocket(`${scheme}://${location.host}/api/live?${query}`);
      this.socket = socket;
      socket.onmessage = (message) => {
        this.pause = FIRST_MS;
        this.hear();
        this.told(JSON.parse(message.data));
      };
      socket.onclose = () => this.again();
      this.hear();
    } catch {
      this.again();
    }
  }

  hear() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.socket?.close(), SILENCE_MS);
  }

  again() {
    clearTimeout(this.silence);
    if (this.ended) return;
    this.lost();
    setTimeout(() => !this.ended && void this.connect(), this.pause);
    this.pause = Math.min(LAST_MS, this.pause * 2);
  }

  end() {
    this.ended = true;
    clearTimeout(this.silence);
    this.socket?.close();
  }
}

/** The server's time, anew every second. @param {number} skew what the server's clock is ahead, in ms */
export function useNow(skew) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return now + skew;
}
