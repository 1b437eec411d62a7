import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

export const PODS = '/api/v1/namespaces/shop/pods';

type Answer = Pick<ServerResponse, 'writeHead' | 'flushHeaders' | 'write' | 'end' | 'on'>;

/** What a scripted apiserver does with each kind of request; what is left out is answered with 404. */
export interface SilentScript {
  /** The watch of pods: headers are out, write what you like and when. `nth` from 0. */
  watch: (send: (type: string, rv: string) => void, nth: number) => void;
  /** How many events a side probe gets; absent: it gets no headers. */
  side?: () => number;
  /** Leases: how the LIST is answered. `live`: with one, whose watch brings an event every `everyMs` real ms. */
  leases?: 'live' | 'forbidden' | 'empty' | 'stall';
  everyMs?: number;
  /** The floor that a window probe is told. */
  floor?: (nth: number) => string;
  /** The cache's RV. */
  cacheRv?: string;
}

/** A server that can fall silent in the ways that real ones do. HTTP/1.1, or HTTP/2 by prior knowledge. */
export async function silentServer(script: SilentScript, http2 = false) {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const counts = { watch: 0, window: 0 };
  const seen: string[] = [];
  const answer = (request: Pick<IncomingMessage, 'url' | 'headers'>, response: Answer) => {
    const probe = /probe\/([\w-]+)/.exec(request.headers['user-agent'] ?? '')?.[1];
    const url = request.url ?? '';
    seen.push(probe ?? 'run');
    const head = { 'content-type': 'application/json', 'audit-id': 'a' };
    const json = (status: number, body: unknown) => {
      response.writeHead(status, head);
      response.end(JSON.stringify(body));
    };
    const line = (type: string, rv: string) => {
      const metadata = { name: `p${rv}`, uid: `u${rv}`, namespace: 'shop', resourceVersion: rv };
      response.write(`${JSON.stringify({ type, object: { kind: 'Pod', metadata } })}\n`);
    };
    if (probe === 'control') {
      control(url, response, json, line);
    } else if (probe === 'side') {
      const frames = script.side?.();
      if (frames === undefined) return;
      response.writeHead(200, head);
      response.flushHeaders();
      for (let i = 0; i < frames; i++) line('MODIFIED', String(900 + i));
      later(40, () => response.end());
    } else if (probe === 'window' && script.floor) {
      const floor = script.floor(counts.window++);
      const message = `too old resource version: 1 (${floor})`;
      response.writeHead(200, head);
      response.end(
        `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message } })}\n`,
      );
    } else if (probe === 'cache-rv' && script.cacheRv) {
      json(200, { kind: 'PodList', metadata: { resourceVersion: script.cacheRv }, items: [] });
    } else if (probe !== undefined || !url.startsWith(PODS)) {
      json(404, { kind: 'Status', code: 404 });
    } else {
      response.writeHead(200, head);
      response.flushHeaders();
      script.watch(line, counts.watch++);
    }
  };
  const control = (
    url: string,
    response: Answer,
    json: (status: number, body: unknown) => void,
    line: (type: string, rv: string) => void,
  ) => {
    const { leases = 'live', everyMs = 20 } = script;
    if (leases === 'stall') return;
    if (leases === 'forbidden') return json(403, { kind: 'Status', code: 403, message: 'leases is forbidden' });
    const items = leases === 'empty' ? [] : [{ metadata: { name: 'n1', namespace: 'kube-node-lease' } }];
    if (!url.includes('watch=1')) return json(200, { kind: 'LeaseList', metadata: { resourceVersion: '7' }, items });
    response.writeHead(200, { 'content-type': 'application/json' });
    const tick = setInterval(() => line('MODIFIED', '8'), everyMs);
    timers.add(tick);
    response.on('close', () => clearInterval(tick));
    return undefined;
  };
  const later = (ms: number, what: () => void) => timers.add(setTimeout(what, ms));
  const server = http2
    ? createHttp2Server((request, response) => answer(request, response as unknown as Answer))
    : createServer((request, response) => answer(request, response));
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)));
  server.on('session', (session: ServerHttp2Session) => session.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** What was asked, in order: `run` or the kind of a probe. */
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
