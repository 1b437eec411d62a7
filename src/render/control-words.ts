import type { ControlFacts } from '../client/control-facts.ts';
import { maskText } from './mask-secrets.ts';
import { sanitize } from './sanitize.ts';
import type { StyleName } from './spans.ts';
import { age } from './time-format.ts';

/** The control stream's rhythm is about 10 s: within half as long again the path is called alive, ms. */
const ALIVE_WITHIN_MS = 15_000;

/** What a row says when the control stream comes to another state. */
export function controlWords({ state, refused, unansweredBy }: ControlFacts): { text: string; style: StyleName } {
  switch (state) {
    case 'asking':
      return { text: 'control: asking for node leases', style: 'dim' };
    case 'live':
      return { text: 'control: node leases come over another connection, the path lives', style: 'dim' };
    case 'silent':
      return { text: 'control: no node lease for 15 s, asking anew', style: 'dim' };
    case 'unanswered':
      return { text: `control: a new connection ${UNANSWERED[unansweredBy ?? 'silence']}`, style: 'warning' };
    case 'refused':
      return { text: `control: refused (${refusedWord(refused)}), going on without`, style: 'warning' };
    case 'none':
      return { text: 'control: there are no node leases here, going on without', style: 'warning' };
  }
}

const UNANSWERED: Record<NonNullable<ControlFacts['unansweredBy']>, string> = {
  silence: 'gets no answer either',
  refusal: 'is refused or closed: the apiserver is leaving, or starting',
  gateway: 'is answered by a gateway, not by the apiserver',
};

function refusedWord(refused: ControlFacts['refused']): string {
  if (refused?.httpStatus !== undefined) return String(refused.httpStatus);
  return sanitize(maskText(refused?.detail ?? ''), 80);
}

const NO_SERVER = { refusal: 'new connections refused', gateway: 'gateway errors' } as const;

/** What the control stream says about the path right now, for the state line; "" where it cannot say anything. */
export function pathWords(control: ControlFacts | undefined, now: number): string {
  if (!control || control.state === 'refused' || control.state === 'none') return '';
  if (control.unansweredSince !== undefined) {
    const by = control.unansweredBy ?? 'silence';
    return by === 'silence' ? `path dead too, ${age(now - lastSign(control))}` : NO_SERVER[by];
  }
  if (control.lastByteAt === undefined) return '';
  const idle = now - control.lastByteAt;
  return idle <= ALIVE_WITHIN_MS
    ? `path alive ${idle < 1000 ? 'now' : `${age(idle)} ago`}`
    : `path silent ${age(idle)}`;
}

function lastSign({ lastByteAt, unansweredSince, startedAt }: ControlFacts): number {
  return lastByteAt ?? unansweredSince ?? startedAt;
}
