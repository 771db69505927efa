// A durable consumer of one table's events, by the rules of docs/reference/durable-consumers.md. Its file has an event on each
// line exactly as it was published; the file alone says how far it is.
//
//   node consumer.mjs BROKER-URL SITE/TABLE CONSUMER FILE        e.g. mqtts://broker:8883 harbour/bj-1 js events.jsonl
//
// With TLS_CA, TLS_CERT and TLS_KEY in the environment it comes with a certificate.

import { createHash } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import mqtt from 'mqtt';

const [url, table, consumer, path] = process.argv.slice(2);
if (!path) {
  console.error('usage: node consumer.mjs BROKER-URL SITE/TABLE CONSUMER FILE');
  process.exit(2);
}
const root = `tableside/v1/${table}`;
const ASK_AGAIN_MS = 5_000; // the table ends a replay with its connection
const CUT_OFF_MS = 15_000;
const LINE_FEED = 0x0a;

const complain = (text) => console.error(`!! ${text}`);
const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

// --- what we hold ---------------------------------------------------------------------------------

let file, epoch, seq, head;

function begin(newEpoch) {
  [epoch, seq, head] = [newEpoch, 0, sha256(`tableside.stream.v1 ${table}/${newEpoch}`)];
}

function open() {
  const data = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
  file = openSync(path, 'a');
  const end = data.lastIndexOf(LINE_FEED) + 1;
  if (end < data.length) {
    complain(`${path}: the last line is torn; cut off`);
    ftruncateSync(file, end);
    fsyncSync(file);
  }
  begin(0);
  for (let start = 0; start < end; ) {
    const stop = data.indexOf(LINE_FEED, start);
    const line = data.subarray(start, stop);
    const event = JSON.parse(line);
    if (seq === 0) begin(event.epoch);
    [seq, head] = [event.seq, sha256(head, line)];
    start = stop + 1;
  }
}

function putAside(name) {
  closeSync(file);
  let free = `${path}.${name}`;
  for (let number = 1; existsSync(free); number++) free = `${path}.${name}-${number}`;
  renameSync(path, free);
  open();
}

function keep(payload, event) {
  writeSync(file, Buffer.concat([payload, Buffer.from([LINE_FEED])]));
  [seq, head] = [event.seq, sha256(head, payload)];
}

// --- what comes -----------------------------------------------------------------------------------

const waiting = new Map(); // events that came before the ones they follow
let asked = 0;
let unsynced = false;
let heard = Date.now();

function takeEvent(payload) {
  const event = JSON.parse(payload);
  if (`/${table}` !== event.source) return;
  if (event.epoch < epoch) return complain(`epoch ${event.epoch} is older than ours, ${epoch}: nothing of it is taken`);
  if (event.epoch > epoch) {
    if (seq > 0) putAside(epoch);
    waiting.clear();
    begin(event.epoch);
  }
  if (event.seq <= seq) return;
  if (event.seq > seq + 1) {
    if (waiting.size < 10_000) waiting.set(event.seq, payload);
    return askAgain();
  }
  keep(payload, event);
  unsynced = true;
  const next = waiting.get(seq + 1);
  waiting.delete(seq + 1);
  if (next) takeEvent(next);
}

function takeState(now) {
  if (now.epoch < epoch) return complain(`epoch ${now.epoch} is older than ours, ${epoch}: nothing of it is taken`);
  if (now.epoch > epoch) {
    if (seq > 0) putAside(epoch);
    waiting.clear();
    begin(now.epoch);
  }
  if (now.published > seq) return askAgain();
  if (now.published === seq && seq > 0 && now.hash !== head.toString('hex')) {
    complain(`our events are not the table's: ${path} is put aside, everything is fetched again`);
    putAside('differs');
    begin(now.epoch);
    return askAgain();
  }
  const known = now.consumers.find((one) => one.consumer === consumer);
  if (known && known.last_seq < seq) acknowledge();
}

function askAgain() {
  if (epoch === 0 || Date.now() - asked < ASK_AGAIN_MS) return;
  asked = Date.now();
  client.publish(`${root}/cmd/replay`, JSON.stringify({ consumer, epoch, first_seq: seq + 1 }), { qos: 1 });
}

function acknowledge() {
  if (seq === 0) return;
  const ack = { epoch, last_seq: seq, head_hash: head.toString('hex') };
  client.publish(`${root}/ack/${consumer}`, JSON.stringify(ack), { qos: 1 });
}

// --- the connection -------------------------------------------------------------------------------

open();
const secret = (name) => (process.env[name] ? readFileSync(process.env[name]) : undefined);
const client = mqtt.connect(url, {
  protocolVersion: 5,
  clientId: `${consumer}-${process.pid}`,
  reconnectPeriod: 1000,
  ca: secret('TLS_CA'),
  cert: secret('TLS_CERT'),
  key: secret('TLS_KEY'),
});
client.on('connect', () => {
  asked = 0;
  client.subscribe([`${root}/event/#`, `${root}/state/stream`, `${root}/reply/replay/${consumer}`], { qos: 1 });
  acknowledge();
});
client.on('error', (error) => complain(error.message));
client.on('close', () => complain('the broker is gone; trying again'));
client.on('message', (topic, payload) => {
  heard = Date.now();
  try {
    if (topic === `${root}/state/stream`) takeState(JSON.parse(payload));
    else takeEvent(payload);
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      complain(`${path}: ${error.message}`); // what was acknowledged is on the disk
      process.exit(70);
    }
    complain(`${topic}: not what the documentation says: ${error.message}`);
  }
});
setInterval(() => {
  if (unsynced) {
    fsyncSync(file);
    unsynced = false;
    acknowledge();
  }
  if (Date.now() - heard > CUT_OFF_MS) {
    complain('nothing was heard for 15 seconds: cut off');
    heard = Date.now();
  }
}, 500);
