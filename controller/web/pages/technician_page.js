// @ts-check
// One table for whoever looks after it: each line with its faults, the broker, the consumers, the program.
import { ago, clockAndZone, percent, size } from "./figures.js";
import { useLive, useNow } from "./live.js";
import { Who, seesDevices } from "./session.js";
import { SettingsPanel, useSettings } from "./settings.js";
import { Symbol } from "./symbols.js";
import { standing } from "./table_page.js";
import { t, tn } from "./texts.js";
import { html, useEffect, useState } from "./vendor/preact-htm.js";

/** @typedef {import("./wire.js").Table} Table */

/** The last hour as so many bars of five minutes. */
const BARS = 12;
const BAR_MS = 300000;

/** @param {{ name: string }} of */
export function TechnicianPage({ name }) {
  const live = useLive(name);
  const now = useNow(live.skew);
  const [chosen, change] = useSettings();
  const table = live.tables[name];
  const state = standing(live, name, now);
  useEffect(() => {
    document.title = t("title.technician", { name });
  }, [name]);
  return html`<div class="technician-page ${state.kind}">
    <header class="head"><h1>${name}</h1><span class="fact"><b>${t("technician.title")}</b></span>
      <span class="fact state ${state.kind}">${t(`state.word.${state.kind}`)}</span>
      <nav aria-label=${t("nav.label")}><a href="/">${t("nav.tables")}</a> <a href="/table/${name}">${t("nav.table")}</a></nav><${Who} />
      <details class="look"><summary aria-label=${t("setting.title")}><${Symbol} name="settings" /></summary><${SettingsPanel} chosen=${chosen} change=${change} /></details></header>
    ${state.text ? html`<p class="notice ${state.kind}" role="status"><${Symbol} name=${state.symbol} />${state.text}</p>` : null}
    <main>${!seesDevices() ? html`<p class="quiet">${t("sign.in.technician")}</p>` : table ? html`<${Alarms} table=${table} isHeard=${state.kind === "live" || state.kind === "held"} /><${Lines} table=${table} now=${now} /><${Journal} table=${table} linked=${live.linked} now=${now} /><${Machine} machine=${table.machine} /><${Program} table=${table} now=${now} /><${TableFile} />` : live.told ? null : html`<p class="quiet">${t("felt.loading")}</p>`}</main></div>`;
}

/** What the table itself says somebody should see to; that there is nothing only while it is heard. @param {{ table: Table, isHeard: boolean }} of */
function Alarms({ table, isHeard }) {
  const alarms = [...new Set([...(table.status?.alarms ?? []), ...(table.stream?.alarms ?? [])])];
  return html`<section class="panel alarms"><h2><${Symbol} name="alert" />${t("technician.alarms")}</h2>
    ${alarms.length ? html`<ul>${alarms.map((one) => html`<li key=${one}>${one}</li>`)}</ul>` : html`<p class="quiet">${t(isHeard ? "technician.alarms.none" : "technician.alarms.unknown")}</p>`}</section>`;
}

/** @param {{ table: Table, now: number }} of */
function Lines({ table, now }) {
  const figures = table.pace?.figures;
  const devices = [...Object.keys(table.devices ?? {}), ...Object.keys(table.faults?.devices ?? {})];
  const silent = (table.machine?.lines ?? []).map((one) => one.line).filter((line) => !devices.some((name) => lineOf(name) === line));
  const names = [...new Set([...devices, ...silent])].sort();
  const heads = /** @type {const} */ (["device", "state", "since", "port", "byte", "faults", "last"]);
  return html`<section class="panel lines"><h2>${t("technician.lines")}</h2>
    <table><thead><tr>${heads.map((one) => html`<th key=${one} scope="col">${t(`technician.${one}`)}</th>`)}</tr></thead>
      <tbody>${names.map((name) => html`<${Line} key=${name} name=${name} table=${table} now=${now} />`)}</tbody></table>
    <p class="quiet">${figures ? t("technician.hour", { age: ago(figures.seconds * 1000) }) : t("technician.hour.unknown")} ${table.faults?.since ? t("technician.listening", { since: clockAndZone(table.faults.since) }) : t("technician.silent")} ${t("technician.bytes")}</p></section>`;
}

/** The line that a device is on: bet_spots/3 is on bet_spots. @param {string} device */
const lineOf = (device) => device.split("/")[0] ?? device;

/** @param {{ name: string, table: Table, now: number }} of */
function Line({ name, table, now }) {
  const status = table.devices?.[name];
  const fault = table.faults?.devices[name];
  const line = table.machine?.lines.find((one) => one.line === lineOf(name));
  const hour = table.pace?.figures.devices.find((one) => one.device === name);
  return html`<tr class=${status && status.state !== "ready" ? "ill" : ""}><th scope="row"><${Symbol} name=${lineOf(name).replace(/\d+$/, "")} /> ${name}</th>
    <td data-head=${t("technician.state")}>${status ? html`<b class="status">${t(`device.${status.state}`)}</b> ${status.detail}` : t("technician.unknown")}</td>
    <td data-head=${t("technician.since")}>${status ? html`<time datetime=${status.since}>${clockAndZone(status.since)}</time> <span class="quiet">${t("technician.byte.age", { age: ago(now - Date.parse(status.since)) })}</span>` : t("technician.unknown")}</td>
    <td data-head=${t("technician.port")}>${line ? html`<code>${line.port}</code> ${line.protocol}${line.is_open ? "" : html` <b class="bad">${t("technician.port.shut")}</b>`}${line.failures ? html`${line.is_open ? "" : ","} <span class="bad">${tn("technician.failures", line.failures)}</span>` : ""}` : t("technician.unknown")}</td>
    <td data-head=${t("technician.byte")}>${line && table.machine ? lastByte(line, now - Date.parse(table.machine.time)) : t("technician.unknown")}</td>
    <td data-head=${t("technician.faults")}>${hour ? faults(hour) : table.pace ? t("technician.faults.none") : t("technician.unknown")} <${Spark} times=${table.faults?.times?.[name] ?? []} now=${now} /></td>
    <td data-head=${t("technician.last")}>${fault ? html`<time datetime=${fault.time} title=${t("log.event", { seq: fault.seq, time: fault.time })}>${clockAndZone(fault.time)}</time> <b>${t(`fault.${fault.kind}`)}</b> ${fault.detail}` : t("technician.last.none")}</td></tr>`;
}

/** When a line's last byte came. @param {import("./wire.js").Line} line @param {number} age of the picture, in milliseconds */
function lastByte(line, age) {
  return line.quiet_s === null ? t("technician.byte.none") : t("technician.byte.age", { age: ago(line.quiet_s * 1000 + Math.max(0, age)) });
}

/** The complaints of the last hour, a bar for five minutes. @param {{ times: string[], now: number }} of */
function Spark({ times, now }) {
  const bars = Array.from({ length: BARS }, () => 0);
  for (const time of times) {
    const place = BARS - 1 - Math.floor((now - Date.parse(time)) / BAR_MS);
    if (place >= 0) bars[Math.min(place, BARS - 1)] = (bars[Math.min(place, BARS - 1)] ?? 0) + 1;
  }
  const most = Math.max(...bars);
  if (!most) return null;
  const said = tn("technician.spark", bars.reduce((sum, one) => sum + one, 0));
  return html`<svg class="spark" viewBox="0 0 ${BARS * 8} 24" role="img" aria-label=${said}><title>${said}</title>${bars.map((one, place) => html`<rect key=${place} class=${one ? "full" : ""} x=${place * 8} width="6" y=${24 - Math.max(2, (one * 24) / most)} height=${Math.max(2, (one * 24) / most)} />`)}</svg>`;
}

/** @param {import("./wire.js").Figures["devices"][number]} hour */
function faults(hour) {
  const said = [
    hour.faults ? tn("faults.down", hour.faults, { age: ago(hour.down_seconds * 1000) }) : "",
    hour.alarms ? tn("faults.alarms", hour.alarms) : "",
    hour.damaged_messages ? tn("faults.damaged", hour.damaged_messages) : "",
  ].filter((text) => text);
  return said.join(", ") || t("technician.faults.none");
}

/** The broker and whoever reads what the table tells. @param {{ table: Table, linked: boolean, now: number }} of */
function Journal({ table, linked, now }) {
  const stream = table.stream;
  const records = stream?.tree_head.split("\n")[1];
  const behind = stream ? stream.seq - stream.published : 0;
  return html`<section class="panel journal"><h2><${Symbol} name="broker" />${t("technician.broker")}</h2>
    <dl><div><dt>${t("technician.broker.here")}</dt><dd>${t(linked ? "technician.broker.up" : "technician.broker.away")}</dd></div>
      <div><dt>${t("technician.events")}</dt><dd>${stream ? t("technician.events.told", { seq: stream.seq, published: stream.published }) : t("technician.unknown")} ${behind ? html`<b class="bad">${tn("technician.behind", behind)}</b>` : null}</dd></div>
      <div><dt>${t("technician.head")}</dt><dd>${records ? t("technician.records", { count: records }) : t(stream ? "technician.head.none" : "technician.unknown")}</dd></div>
      <div><dt>${t("technician.written")}</dt><dd>${stream ? html`${clockAndZone(stream.time)} <span class="quiet">${t("technician.byte.age", { age: ago(now - Date.parse(stream.time)) })}</span>` : t("technician.unknown")}</dd></div></dl>
    <h3>${t("technician.consumers")}</h3>
    ${stream?.consumers.length ? html`<ul>${stream.consumers.map((one) => html`<li key=${one.consumer} class=${one.behind ? "bad" : ""}><b>${one.consumer}</b> ${t("technician.consumer", { seq: one.last_seq })}${one.behind ? `, ${tn("technician.behind", one.behind)}, ${t("technician.oldest", { age: ago(one.oldest_s * 1000) })}` : ""}</li>`)}</ul>` : html`<p class="quiet">${t(stream ? "technician.consumers.none" : "technician.unknown")}</p>`}</section>`;
}

/** The disk, the second copy, and the look through the whole journal. @param {{ machine: import("./wire.js").Machine | undefined }} of */
function Machine({ machine }) {
  const disk = machine?.disk;
  const copy = machine?.second_copy;
  return html`<section class="panel machine"><h2>${t("technician.machine")}</h2>
    <dl><div><dt>${t("technician.disk")}</dt><dd>${disk ? t("technician.disk.free", { free: size(disk.free_bytes), size: size(disk.size_bytes), share: percent(disk.free_bytes, disk.size_bytes) }) : t("technician.unknown")}</dd></div>
      <div><dt>${t("technician.copy")}</dt><dd>${copy ? html`${t("technician.copy.has", { folder: copy.folder, records: copy.records, of: copy.of_records })} ${copy.trouble ? html`<b class="bad">${copy.trouble}</b>` : null}` : t(machine ? "technician.copy.none" : "technician.unknown")}</dd></div>
      <div><dt>${t("technician.verification")}</dt><dd>${machine ? html`<${Verification} now=${machine.verification} />` : t("technician.unknown")}</dd></div></dl></section>`;
}

/** @param {{ now: import("./wire.js").Verification }} of */
function Verification({ now }) {
  const before = now.whole_at ? t("technician.verification.whole", { time: clockAndZone(now.whole_at) }) : "";
  if (now.state === "due") return t("technician.verification.due");
  if (now.state === "whole") return before;
  if (now.state === "failed") return html`<b class="bad">${t("technician.verification.failed")}</b> ${before}`;
  const said = t("technician.verification.running");
  const read = now.records ? t("technician.verification.read", { read: now.read, records: now.records, share: percent(now.read, now.records) }) : "";
  return html`<progress max="100" value=${now.records ? percent(now.read, now.records) : undefined} aria-label=${said}></progress> ${read || said} <span class="quiet">${before}</span>`;
}

/** @param {{ table: Table, now: number }} of */
function Program({ table, now }) {
  const { status, info, faults: heard, pace } = table;
  const checked = heard?.software;
  return html`<section class="panel program"><h2>${t("technician.program")}</h2>
    <dl><div><dt>${t("technician.state")}</dt><dd>${status ? html`${t(`program.${status.state}`)} <span class="quiet">${t("technician.session", { session: status.session, since: clockAndZone(status.since), age: ago(now - Date.parse(status.since)) })}</span>` : t("technician.unknown")}</dd></div>
      <div><dt>${t("technician.starts")}</dt><dd>${pace ? pace.figures.starts : t("technician.unknown")}</dd></div>
      <div><dt>${t("technician.version")}</dt><dd>${info?.version ?? t("technician.unknown")}</dd></div>
      <div><dt>${t("technician.rules")}</dt><dd>${info ? html`${info.profile} <code>${info.profile_hash.slice(0, 16)}</code>` : t("technician.unknown")}</dd></div>
      <div><dt>${t("technician.files")}</dt><dd>${checked ? html`${t(checked.passed ? "technician.files.passed" : "technician.files.failed", { count: checked.files })} <span class="quiet">${clockAndZone(checked.time)}</span> ${checked.detail}` : t("technician.files.unknown")}</dd></div></dl></section>`;
}

/** A table file chosen here, each mistake marked at its line; the file stays in the browser but for this one look. */
function TableFile() {
  const [found, setFound] = useState(/** @type {{ lines: string[], mistakes: import("./wire.js").Mistake[] } | null} */ (null));
  const [refused, refuse] = useState("");
  const chosen = async (/** @type {{ target: HTMLInputElement }} */ { target }) => {
    const text = await target.files?.[0]?.text();
    target.value = "";
    if (text === undefined) return;
    const answer = await fetch("/api/table-file", { method: "POST", body: text });
    refuse(answer.ok ? "" : (await answer.text()).trim());
    setFound(answer.ok ? { lines: text.split("\n"), mistakes: await answer.json() } : null);
  };
  return html`<section class="panel table-file"><h2>${t("table.file.title")}</h2>
    <p><label>${t("table.file.choose")} <input type="file" accept=".toml" onChange=${chosen} /></label></p>
    ${refused ? html`<p role="alert" class="refused">${refused}</p>` : null}
    ${found ? html`<p role="status"><b class=${found.mistakes.length ? "bad" : "good"}>${found.mistakes.length ? tn("table.file.wrong", found.mistakes.length) : t("table.file.right")}</b></p>
      <ol class="lines-of-file" tabindex="0" aria-label=${t("table.file.title")}>${found.lines.map((line, at) => {
        const wrong = found.mistakes.filter((one) => one.line === at + 1);
        return html`<li key=${at} class=${wrong.length ? "wrong" : ""}><code>${line || " "}</code>${wrong.map((one) => html`<em key=${one.text}>${one.text}</em>`)}</li>`;
      })}</ol>${found.mistakes.filter((one) => one.line < 1 || one.line > found.lines.length).map((one) => html`<p key=${one.text} class="bad">${one.text}</p>`)}` : html`<p class="quiet">${t("table.file.about")}</p>`}</section>`;
}
