#!/usr/bin/env node
// The player of the watch fault cases (fixtures/cases), constructed with them; kept here unchanged but for this line and the next.
// Its README is the cases' own: a case is a script for a server, all times in virtual milliseconds.
// Plays one watch fault case: an HTTP server that follows the case's script (README.md, sections 1 and 5).
//
//   node player.mjs CASE.json [--speed S] [--port 0] [--log FILE]
//
// prints {"port":N,"http":"1.1"|"2"} once it listens on 127.0.0.1, and stops on SIGTERM or when its stdin (a pipe)
// closes. As a module: import {play} from './player.mjs'. No dependencies, Node >= 20.
//
// HTTP/1.1 is written by hand on plain sockets, since node:http cannot leave an answer half finished; HTTP/2 (h2c with
// prior knowledge) is node:http2 behind a pipe of our own, so that a connection can go silent, break or reset at will.

import { setMaxListeners } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import net from 'node:net';
import zlib from 'node:zlib';
import { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';

const HOST = '127.0.0.1';

// ---------------------------------------------------------------------------------------------------------------------
// Virtual time. It starts with the first connection and runs `speed` times as fast as real time.

class Clock {
  constructor(speed) { this.speed = speed; this.zero = null; }
  start() { if (this.zero === null) { this.zero = performance.now(); this.wall = Date.now(); } }
  now() { return this.zero === null ? 0 : (performance.now() - this.zero) * this.speed; }
  /** RFC 3339 time `ago` virtual ms before now, in whole seconds like every metav1.Time. */
  date(ago) { return new Date(this.wall + this.now() - ago).toISOString().replace(/\.\d+Z$/, 'Z'); }
  /** Resolves to true when virtual time has reached `due`, to false as soon as `signal` is aborted. */
  until(due, signal) {
    return new Promise((resolve) => {
      let timer, immediate;
      const finish = (reached) => {
        clearTimeout(timer); clearImmediate(immediate);
        signal.removeEventListener('abort', gone);
        resolve(reached);
      };
      const gone = () => finish(false);
      const check = () => {
        const left = (due - this.now()) / this.speed;
        if (left <= 0.02) finish(true);
        else if (left < 1) immediate = setImmediate(check); // setTimeout is too coarse at high speed
        else timer = setTimeout(check, Math.min(Math.floor(left), 1e9));
      };
      if (signal.aborted) return resolve(false);
      signal.addEventListener('abort', gone);
      check();
    });
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Paths and requests

/** The parts of a Kubernetes resource path, also behind a proxy prefix; null for paths like /version. */
export function parsePath(path) {
  const m = /^(.*)\/(api\/v[^/]+|apis\/[^/]+\/[^/]+)\/(.+?)\/?$/.exec(path);
  if (!m) return null;
  const rest = m[3].split('/');
  const watch = rest[0] === 'watch' && rest.length > 1;
  if (watch) rest.shift();
  const namespace = rest[0] === 'namespaces' && rest.length > 2 ? rest.splice(0, 2)[1] : null;
  return { base: `${m[1]}/${m[2]}`, version: m[2].replace(/^apis?\//, ''), namespace, resource: rest[0], name: rest[1] ?? null, watch };
}

/** What a request is for the `on` of an exchange: watch, list, list-next, get. */
function kindOf(path, query) {
  const parts = parsePath(path), flag = query.watch;
  if (parts.watch || (flag !== undefined && !/^(false|0)$/i.test(flag))) return 'watch';
  if (parts.name) return 'get';
  return query.continue ? 'list-next' : 'list';
}

/** Which of the case's requests this one belongs to: 0 the main one, n the n-th of `also`; -1 if it is about something else. */
function targetOf(path, targets) {
  const parts = parsePath(path);
  return targets.findIndex((target) => parts && target && parts.base === target.base && parts.resource === target.resource
    && (targets.length === 1 || parts.namespace === target.namespace));
}

/** The kind of a probe (README.md, section 1), from the User-Agent; null for the requests that the case is about. */
const probeOf = (headers) => /\bprobe\/([\w-]+)/.exec(headers['user-agent'] ?? '')?.[1] ?? null;

function fits(exchange, of, kind, query) {
  if (kind === null || (exchange.of ?? 0) !== of || (exchange.on !== 'any' && exchange.on !== kind)) return false;
  return Object.entries(exchange.if_query ?? {}).every(([name, want]) =>
    want === null ? query[name] === undefined : want === '*' ? query[name] !== undefined : query[name] === want);
}

let audit = 0;
function apiserverHeaders() {
  return {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-cache, private',
    'Audit-Id': `00000000-0000-4000-9000-${String(++audit).padStart(12, '0')}`,
    'X-Kubernetes-Pf-Flowschema-Uid': '00000000-0000-4000-8000-000000000901',
    'X-Kubernetes-Pf-Prioritylevel-Uid': '00000000-0000-4000-8000-000000000902',
  };
}

/** `headers` over `base`, whatever their case. */
function override(base, headers = {}) {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return { ...Object.fromEntries(Object.entries(base).filter(([name]) => !names.has(name.toLowerCase()))), ...headers };
}

/** A script with its repeats written out and everything sent turned into bytes, or into text where it holds a time. */
function compile(steps) {
  const ready = (text) => (text.includes('{{ago:') ? { text } : { bytes: Buffer.from(text) });
  const lines = (events) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
  return steps.flatMap((step) => {
    if ('send' in step) {
      const pad = step.pad_bytes ? { data: { ...step.send.object.data, pad: 'x'.repeat(step.pad_bytes) } } : {};
      return ready(lines([{ ...step.send, object: { ...step.send.object, ...pad } }]));
    }
    if ('send_many' in step) return ready(lines(step.send_many));
    if ('send_text' in step) return ready(step.send_text);
    if ('send_b64' in step) return { bytes: Buffer.from(step.send_b64, 'base64') };
    if (!('repeat' in step)) return step;
    const text = JSON.stringify(step.steps), pause = step.every_ms ? [{ wait_ms: step.every_ms }] : [];
    return Array.from({ length: step.repeat }, (_, i) => compile([...pause,
      ...JSON.parse(text.replace(/\{\{(-?\d+)\+i(?:\*(\d+))?\}\}/g, (_, a, b) => String(Number(a) + i * Number(b ?? 1))))])).flat();
  });
}

// ---------------------------------------------------------------------------------------------------------------------
// Answers. Both kinds have: head(status, headers, body?), write(bytes), flush() (what was written goes out), settled()
// (it has gone out), end(), reset(code), goaway(code). The connection has: fin(), rst(), mute().

const tick = () => new Promise((resolve) => setImmediate(resolve));

class Answer1 {
  constructor(connection, request) {
    this.connection = connection;
    this.out = []; // gathered until flush(), so that a burst is one system call
    this.close = /close/i.test(request.headers.connection ?? '') || request.version === 'HTTP/1.0';
  }
  head(status, headers, body) {
    if (Object.entries(headers).some(([name, value]) => /^connection$/i.test(name) && /close/i.test(value))) this.close = true;
    const framing = body ? { 'Content-Length': body.length } : { 'Transfer-Encoding': 'chunked' };
    const lines = Object.entries(override(framing, headers)).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = Buffer.from(`HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? 'Unknown'}\r\n${lines.join('')}\r\n`);
    this.out.push(head, body ?? Buffer.alloc(0));
    this.chunked = !body;
  }
  write(bytes) {
    this.out.push(Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n'));
  }
  flush() {
    if (this.out.length) this.connection.socket.write(Buffer.concat(this.out));
    this.out = [];
  }
  async settled() { this.flush(); await tick(); }
  end() {
    if (this.chunked) this.out.push(Buffer.from('0\r\n\r\n'));
    this.flush();
    if (this.close) this.connection.fin();
  }
  reset() { this.connection.rst(); } // no streams here: the nearest thing
  goaway() { this.connection.fin(); } // likewise
}

class Answer2 {
  constructor(connection, stream) { this.connection = connection; this.stream = stream; }
  head(status, headers, body) {
    const names = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    const allowed = Object.fromEntries(names.filter(([name]) => !['connection', 'transfer-encoding'].includes(name)));
    this.stream.respond({ ':status': status, ...allowed, ...(body ? { 'content-length': body.length } : {}) });
    if (body) this.stream.write(body);
  }
  write(bytes) { this.stream.write(bytes); }
  flush() {}
  async settled() { do await tick(); while (this.stream.writableLength && !this.stream.destroyed); await tick(); }
  end() { this.stream.end(); }
  // These two frames are written here: node:http2 would send END_STREAM before RST_STREAM. It never learns of them.
  frame(type, streamId, ...numbers) {
    const bytes = Buffer.alloc(9 + 4 * numbers.length);
    bytes[2] = 4 * numbers.length; bytes[3] = type; bytes.writeUInt32BE(streamId, 5);
    numbers.forEach((number, n) => bytes.writeUInt32BE(number, 9 + 4 * n));
    this.connection.socket.write(bytes);
  }
  reset(code) { this.frame(3, this.stream.id, code); }
  goaway(code, ms) {
    this.connection.mute(); // the streams end with the connection
    this.frame(7, 0, this.stream.id, code);
    setTimeout(() => this.connection.fin(), ms);
  }
}

class Connection {
  constructor(id, socket) {
    this.id = id; this.socket = socket; this.running = 0; this.muted = false;
    this.left = new AbortController(); // the client, or we, closed it
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => this.left.abort());
  }
  fin() {
    this.socket.end();
    setTimeout(() => this.socket.destroy(), 500).unref(); // a client that keeps its half open
  }
  rst() { this.socket.resetAndDestroy(); }
  mute() { this.muted = true; }
}

/** Reads requests from a plain socket, one after the other, and calls onRequest(request, answer, connection). */
function serveHttp1(connection, onRequest) {
  let buffer = Buffer.alloc(0);
  const next = async () => {
    if (buffer[0] === 0x16) { // a TLS hello: answered in plain text, as Go's server does
      connection.socket.write('HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request');
      return connection.fin();
    }
    const at = buffer.indexOf('\r\n\r\n');
    if (connection.running || at < 0) return;
    const [first, ...lines] = buffer.toString('latin1', 0, at).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => [line.split(':')[0].toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]));
    const length = at + 4 + (Number(headers['content-length']) || 0);
    if (buffer.length < length) return;
    buffer = buffer.subarray(length);
    const [method, target, version] = first.split(' ');
    if (!/^HTTP\/1\.[01]$/.test(version ?? '')) return connection.socket.destroy(); // HTTP/2 or no HTTP at all
    const request = { method, target, version, headers };
    await onRequest(request, new Answer1(connection, request), connection);
    next();
  };
  connection.socket.on('data', (bytes) => { buffer = Buffer.concat([buffer, bytes]); next(); });
}

/** The same for HTTP/2. `server` is a node:http2 server that never listens itself. */
function serveHttp2(connection, server, onRequest) {
  const { socket } = connection;
  const pipe = new Duplex({
    read() {},
    write(bytes, _, done) { if (connection.muted) done(); else socket.write(bytes, () => done()); },
    final(done) { if (!connection.muted) socket.end(); done(); },
    destroy(error, done) { if (!connection.muted) socket.destroy(); done(error); },
  });
  pipe.on('error', () => {});
  socket.on('data', (bytes) => { if (!connection.muted) pipe.push(bytes); });
  socket.on('end', () => pipe.push(null));
  socket.on('close', () => pipe.destroy());
  server.once('session', (session) => {
    session.on('error', () => {});
    session.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      const request = { method: headers[':method'], target: headers[':path'], version: 'HTTP/2', headers: { ...headers } };
      onRequest(request, new Answer2(connection, stream), connection, stream);
    });
  });
  server.emit('connection', pipe);
}

// ---------------------------------------------------------------------------------------------------------------------
// What the clients have been told so far: for answers that no exchange provides, and for the request log.

class World {
  constructor(query, exchanges) {
    Object.assign(this, { exchanges, objects: new Map(), gone: new Set(), sample: null, rv: query?.resourceVersion ?? '1' });
  }
  key(object) { return `${object.metadata?.namespace ?? ''}/${object.metadata?.name ?? ''}`; }
  list(body, kind) {
    if (!Array.isArray(body?.items)) return;
    if (kind !== 'list-next') this.objects.clear();
    for (const item of body.items) { this.objects.set(this.key(item), item); this.sample = item; }
    if (body.metadata?.resourceVersion) this.rv = body.metadata.resourceVersion;
  }
  event({ type, object }) {
    if (object?.metadata?.resourceVersion && type !== 'ERROR') this.rv = object.metadata.resourceVersion;
    if (!object?.metadata?.name || type === 'BOOKMARK' || type === 'ERROR') return;
    this.sample = object;
    this.objects.set(this.key(object), object);
    if (type === 'DELETED') { this.objects.delete(this.key(object)); this.gone.add(this.key(object)); }
  }
  /** The object of a GET: as last sent; one that was never sent, as the case's lists have it. */
  get(namespace, name) {
    const listed = this.exchanges.flatMap((exchange) => exchange.script).flatMap((step) => step.body?.items ?? [])
      .filter((object) => !this.gone.has(this.key(object)));
    return [...this.objects.values(), ...listed].find(({ metadata }) => metadata?.name === name && (!namespace || metadata.namespace === namespace));
  }
}

/** Follows the bytes of one stream: whole lines become events of `world` and figures in `told` (the log's `answer`). */
function reader(world, told) {
  let rest = Buffer.alloc(0), initial = !told.requested_rv || told.requested_rv === '0' || told.initial;
  let highest = -1n;
  return (bytes) => {
    const lines = Buffer.concat([rest, bytes]).toString('latin1').split('\n');
    rest = Buffer.from(lines.pop(), 'latin1');
    for (const line of lines.map((text) => Buffer.from(text, 'latin1').toString('utf8'))) {
      let event;
      try { event = JSON.parse(line); } catch { continue; }
      if (!event?.type || !event.object) continue;
      const rv = event.object.metadata?.resourceVersion;
      if (event.type === 'ERROR') { told.error_code = event.object.code ?? 0; continue; }
      told[event.type === 'BOOKMARK' ? 'bookmarks' : 'events']++;
      world.event(event);
      // Initial ADDED events are unsorted: until something else comes, the RV to resume from is the highest.
      if (event.type !== 'ADDED') initial = false;
      if (!rv) continue;
      if (initial && /^\d+$/.test(rv) && BigInt(rv) < highest) continue;
      if (/^\d+$/.test(rv)) highest = BigInt(rv);
      told.last_rv = rv;
    }
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// The player

class Left extends Error {} // the client has gone, or the player was closed

/**
 * Plays a case. Resolves once it listens:
 *   port, http  where and how
 *   requests    every request so far: {virtual_ms, method, path, query, headers, connection, exchange (null: a default
 *               answer), kind, of, probe, answer: {at_ms, status, retry_after_s, events, bookmarks, last_rv, error_code,
 *               end, end_ms}}; `kind` is null for probes and for other resources
 *   now()       virtual ms since the first connection
 *   close()     stops everything
 */
export async function play(theCase, { speed = 1, port = 0, log = null } = {}) {
  const clock = new Clock(speed);
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);
  const asked = [theCase.request, ...(theCase.request.also ?? [])];
  const targets = asked.map(({ path }) => parsePath(path));
  const exchanges = theCase.exchanges.map((exchange) => ({ ...exchange, script: compile(exchange.script) }));
  const worlds = asked.map(({ query }, of) => new World(query, theCase.exchanges.filter((exchange) => (exchange.of ?? 0) === of)));
  const used = exchanges.map(() => 0);
  const probes = Object.fromEntries(Object.entries(theCase.probes ?? {}).map(([kind, answers]) =>
    [kind, { next: 0, answers: answers.map((answer) => (Array.isArray(answer) ? { script: answer } : answer)).map(({ from_ms: from, script }) => ({ from, script: compile(script) })) }]));
  const requests = [];
  const connections = new Set();
  const logFile = log ? fs.openSync(log, 'w') : null;
  const useHttp2 = String(theCase.http ?? '') === '2';
  const h2 = useHttp2 ? http2.createServer() : null;
  let listener = null, boundPort = port, connectionCount = 0;

  const onConnection = (socket) => {
    clock.start();
    const connection = new Connection(++connectionCount, socket);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
    if (useHttp2) serveHttp2(connection, h2, onRequest);
    else serveHttp1(connection, onRequest);
  };

  function listen(wanted) {
    return new Promise((resolve, reject) => {
      listener = net.createServer(onConnection);
      listener.once('error', reject);
      listener.listen(wanted, HOST, () => { boundPort = listener.address().port; resolve(); });
    });
  }

  /** Listens on `port`. 0 = a free one below the range that systems hand out, so that nobody takes it in a refuse_ms. */
  async function bind() {
    for (let tries = 0; ; tries++) {
      const wanted = port || 20000 + Math.floor(Math.random() * 12000);
      try { return await listen(wanted); } catch (error) { if (port || tries > 50) throw error; }
    }
  }

  /** Refuses new connections for a while. A server that is away has no idle ones either. */
  async function refuse(ms) {
    const due = clock.now() + ms;
    listener.close();
    for (const connection of connections) if (!connection.running && !connection.muted) connection.fin();
    await clock.until(due, closing.signal);
    for (let again = true; again && !closing.signal.aborted;) {
      try { await listen(boundPort); again = false; } catch { await new Promise((resolve) => setTimeout(resolve, 5)); }
    }
    if (closing.signal.aborted) listener.close();
  }

  async function onRequest(request, answer, connection, stream) {
    if (!URL.canParse(request.target, 'http://player')) return connection.socket.destroy();
    connection.running++;
    const url = new URL(request.target, 'http://player');
    const query = Object.fromEntries(url.searchParams);
    const probe = probeOf(request.headers), of = targetOf(url.pathname, targets);
    const kind = probe || of < 0 ? null : kindOf(url.pathname, query);
    const world = kind ? worlds[of] : new World(query, []);
    const index = exchanges.findIndex((exchange, i) =>
      fits(exchange, of, kind, query) && (exchange.times === 'forever' || used[i] < (exchange.times ?? 1)));
    if (index >= 0) used[index]++;

    const told = { requested_rv: query.resourceVersion, initial: query.sendInitialEvents === 'true', at_ms: null, status: null,
      retry_after_s: null, events: 0, bookmarks: 0, last_rv: null, error_code: null, end: null, end_ms: null };
    const entry = { virtual_ms: Math.round(clock.now()), method: request.method, path: url.pathname, query, headers: request.headers,
      connection: connection.id, exchange: index < 0 ? null : index, kind, of, probe };
    if (logFile !== null) fs.writeSync(logFile, `${JSON.stringify(entry)}\n`);
    requests.push({ ...entry, answer: told });

    // The client leaves by closing the connection or, in HTTP/2, the stream.
    const left = new AbortController();
    const leave = () => left.abort();
    const ends = [connection.left.signal, closing.signal];
    for (const signal of ends) { if (signal.aborted) leave(); else signal.addEventListener('abort', leave); }
    stream?.on('close', leave);

    const exchange = exchanges[index] ?? { script: probeScript(probe) ?? defaultScript(kind, url.pathname, world) };
    const gzip = exchange.gzip_per_send && /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    const run = { kind, world, answer, connection, told, gzip, left: left.signal, due: clock.now(), open: false, over: false, read: reader(world, told) };
    try {
      await perform(exchange.script, run);
      if (!run.over && run.open) finish(run, 'end'); // a script without an end ends properly
    } catch (error) {
      if (!(error instanceof Left)) console.error(`player: ${theCase.id}: ${error.stack}`);
      if (!run.over) finish(run, 'client-left', false);
    } finally {
      for (const signal of ends) signal.removeEventListener('abort', leave);
      connection.running--;
    }
    const last = exchange.script.at(-1);
    if (last?.refuse_ms && told.end !== 'client-left') refuse(last.refuse_ms);
  }

  function finish(run, how, properly = how === 'end') {
    if (properly && run.open) run.answer.end();
    run.over = true;
    Object.assign(run.told, { end: how, end_ms: Math.round(clock.now()) });
  }

  /** The answers to one kind of probe come in order, the last one stays; one with a time not before it, but then at once. */
  function probeScript(kind) {
    const { next, answers } = probes[kind] ?? {};
    if (!answers?.length) return null;
    const due = answers.findLastIndex(({ from }) => from !== undefined && from <= clock.now());
    let n = Math.min(Math.max(next, due), answers.length - 1);
    while (n > 0 && answers[n].from > clock.now()) n--;
    probes[kind].next = n + 1;
    return answers[n].script;
  }

  /** What is answered when no exchange fits. */
  function defaultScript(kind, path, world) {
    const parts = parsePath(path);
    const json = (status, body) => [{ status, as: 'apiserver' }, { body }];
    if (kind === 'watch') return [{ status: 200, as: 'apiserver' }, { hold: true }];
    if (kind === 'list' || kind === 'list-next') {
      const singular = parts.resource.replace(/ies$/, 'y').replace(/s$/, '');
      const { kind: itemKind = singular[0].toUpperCase() + singular.slice(1), apiVersion = parts.version } = world.sample ?? {};
      return json(200, { kind: `${itemKind}List`, apiVersion, metadata: { resourceVersion: world.rv }, items: [...world.objects.values()] });
    }
    const object = kind === 'get' ? world.get(parts.namespace, parts.name) : null;
    if (object) return json(200, object);
    const message = kind === 'get' ? `${parts.resource} "${parts.name}" not found` : 'the server could not find the requested resource';
    return json(404, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason: 'NotFound', code: 404 });
  }

  /** Sends one piece of the body as one chunk (and, if asked for, one gzip member). */
  function sendBytes(run, bytes) {
    run.read(bytes);
    run.answer.write(run.gzip ? zlib.gzipSync(bytes) : bytes);
  }
  const withTimes = (text) => text.replace(/\{\{ago:(\d+)\}\}/g, (_, ms) => clock.date(Number(ms)));

  function head(run, step, body) {
    let headers = step.as === 'apiserver' ? override(apiserverHeaders(), step.headers) : { ...step.headers };
    if (run.gzip && !body) headers = override(headers, { 'Content-Encoding': 'gzip' });
    run.answer.head(step.status, headers, body);
    run.open = true;
    const retryAfter = Object.entries(headers).find(([name]) => /^retry-after$/i.test(name))?.[1];
    Object.assign(run.told, { status: step.status, at_ms: Math.round(clock.now()), retry_after_s: retryAfter ? Number(retryAfter) : null });
  }

  async function wait(run, ms) {
    run.answer.flush();
    run.due += ms; // measured against the clock, so that delays do not add up
    if (!await clock.until(run.due, run.left)) throw new Left();
  }

  async function perform(steps, run) {
    for (let n = 0; n < steps.length && !run.over; n++) {
      const step = steps[n], next = steps[n + 1] ?? {};
      if (run.left.aborted) throw new Left();
      if ('status' in step) {
        if ('body' in next || 'body_text' in next) {
          run.world.list(next.body, run.kind);
          head(run, step, Buffer.from(withTimes(next.body_text ?? JSON.stringify(next.body))));
          run.told.error_code = next.body?.kind === 'Status' ? next.body.code : null;
          finish(run, 'end');
        } else { head(run, step, null); run.answer.flush(); }
      } else if ('wait_ms' in step) await wait(run, step.wait_ms);
      else if ('bytes' in step) sendBytes(run, step.bytes);
      else if ('text' in step) sendBytes(run, Buffer.from(withTimes(step.text)));
      else if ('close' in step) await close(step, run);
      else if ('hold' in step) { run.answer.flush(); await clock.until(Infinity, run.left); throw new Left(); }
      else if (!('refuse_ms' in step)) throw new Error(`a step that does not fit here: ${JSON.stringify(step)}`);
    }
  }

  async function close({ close: how, error_code: code = 'NO_ERROR' }, run) {
    const number = http2.constants[`NGHTTP2_${code}`] ?? 0;
    if (how === 'hang') {
      await run.answer.settled();
      run.connection.mute();
      await clock.until(Infinity, run.left);
      throw new Left();
    }
    if (how !== 'end') await run.answer.settled(); // let what was sent go out first
    if (how === 'fin') { run.connection.mute(); run.connection.fin(); }
    else if (how === 'rst') { run.connection.mute(); run.connection.rst(); }
    else if (how === 'goaway') run.answer.goaway(number, Math.max(5, 1000 / speed)); // as Go's server, which leaves a second for it
    else if (how === 'h2-rst') run.answer.reset(number);
    else if (how !== 'end') throw new Error(`unknown close ${how}`);
    finish(run, how);
  }

  await bind();
  if (theCase.endpoint === 'refuses') listener.close();
  return {
    get port() { return boundPort; },
    http: useHttp2 ? '2' : '1.1',
    requests,
    now: () => clock.now(),
    async close() {
      closing.abort();
      listener.close();
      h2?.close();
      for (const { socket } of connections) socket.destroy();
      await tick();
      if (logFile !== null) fs.closeSync(logFile);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------------
// Command line

async function main(args) {
  const option = (name, otherwise) => (args.includes(name) ? args.splice(args.indexOf(name), 2)[1] : otherwise);
  const options = { speed: Number(option('--speed', 1)), port: Number(option('--port', 0)), log: option('--log', null) };
  if (args.length !== 1 || !(options.speed > 0)) {
    console.error('usage: node player.mjs CASE.json [--speed S] [--port 0] [--log FILE]');
    process.exit(2);
  }
  const player = await play(JSON.parse(fs.readFileSync(args[0], 'utf8')), options);
  console.log(JSON.stringify({ port: player.port, http: player.http }));
  const stop = async () => { await player.close(); process.exit(0); };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const stdin = fs.fstatSync(0);
  if (stdin.isFIFO() || stdin.isSocket()) process.stdin.on('end', stop).on('close', stop).resume();
}

if (process.argv[1] && import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) main(process.argv.slice(2));
