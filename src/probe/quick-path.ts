import type { Handshake } from '../client/tls-handshake.ts';
import type { Answer } from './ask.ts';
import type { Said } from './check.ts';
import type { Measured } from './measured.ts';
import { measured as words } from './times.ts';

/** Certificates, tokens and leases bear some seconds; the header itself has whole ones, ms. */
const SKEW_MS = 5_000;
/** A certificate that ends sooner has not been renewed as it should have been, ms. */
const ENDS_SOON_MS = 7 * 24 * 3_600_000;

/** Who answers: kube-apiserver names neither itself nor a `Via`. */
export function whoAnswers(answers: readonly Answer[], { serverVersion }: Measured): Said {
  const heads = answers.flatMap(({ head }) => (head ? [head] : []));
  const [first] = heads;
  if (!first) return { result: 'skip', answer: 'nothing was answered', facts: {} };
  const foreign = ['server', 'via'].flatMap((name) => {
    const value = heads.map(({ headers }) => headers[name]).find((one) => one !== undefined);
    return value === undefined ? [] : [[name, value.slice(0, 80)] as const];
  });
  const version = serverVersion ?? 'unknown version';
  const facts = { http_version: first.httpVersion, server_version: version, ...Object.fromEntries(foreign) };
  const spoken = `${version} over HTTP/${first.httpVersion}`;
  if (foreign.length === 0) return { result: 'pass', answer: `${spoken}, nothing between that names itself`, facts };
  return {
    result: 'info',
    answer: `${spoken}; on the way: ${foreign.map(([name, value]) => `${name}: ${value}`).join(', ')}`,
    detail: 'No kube-apiserver sends these headers: a proxy, a gateway or a balancer does.',
    facts,
  };
}

/** The server's clock against ours. */
export function dateSkew(answer: Answer, into: Measured): Said {
  const date = Date.parse(answer.head?.headers.date ?? '');
  if (Number.isNaN(date)) return { result: 'skip', answer: 'no Date in the answer', facts: {} };
  // The header is cut to whole seconds.
  const skew = date + 500 - (answer.askedAt + (answer.headAfterMs ?? 0) / 2);
  into.dateSkewMs = skew;
  const facts = { skew_ms: Math.round(skew) };
  if (Math.abs(skew) <= SKEW_MS + (answer.headAfterMs ?? 0) / 2)
    return { result: 'pass', answer: 'the clocks agree within some seconds', facts };
  return {
    result: 'warn',
    answer: `the server's clock is ${words(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} ours`,
    detail: 'Ages of objects and times in logs do not fit together, and tokens may count as expired.',
    facts,
  };
}

/** How the connection is secured, and whether HTTP/2 could be had. `handshake` undefined: plain http. `now`: ms. */
export function secured(handshake: Handshake | undefined, now: number): Said {
  if (!handshake) return { result: 'info', answer: 'no TLS: plain http', facts: { tls_version: 'none' } };
  if (handshake.kind === 'failed') {
    return { result: 'skip', answer: `a second handshake failed: ${handshake.detail}`, facts: {} };
  }
  const { protocol, http2, verified, certificateEndsAt } = handshake;
  const left = certificateEndsAt === undefined ? undefined : certificateEndsAt - now;
  const facts = {
    tls_version: protocol,
    http2,
    verified,
    ...(left === undefined ? {} : { certificate_days_left: Math.floor(left / (24 * 3_600_000)) }),
  };
  const offer = http2 ? 'HTTP/2 is offered' : 'HTTP/2 is not offered';
  const answer = `${protocol}; ${offer}${verified ? '' : '; its certificate is not verified'}`;
  if (left === undefined || left > ENDS_SOON_MS) return { result: verified ? 'pass' : 'info', answer, facts };
  const when = left < 0 ? `ended ${words(-left)} ago` : `ends in ${words(left)}`;
  return {
    result: 'warn',
    answer: `${answer}; the certificate ${when}`,
    detail: 'From then on clients that verify it refuse to connect, and open watches cannot be resumed.',
    facts,
  };
}
