import { describe, expect, it } from 'vitest';
import type { AnswerHeaders, StreamFacts } from '../../src/client/facts.ts';
import { diagnose } from '../../src/diagnosis/diagnose.ts';
import type { Finding } from '../../src/diagnosis/finding.ts';
import { APISERVER, FactsBuilder } from './facts-builder.ts';

interface Story {
  /** Connection of the request after the end, and how long after it that was asked for, s. */
  next?: number;
  after?: number;
  headers?: AnswerHeaders;
  facts?: Partial<StreamFacts>;
  /** What became of the connection of a stream before, which ended as planned. */
  before?: 'kept' | 'hung up';
}

/** A stream on connection 5 that ends properly after 70 of 600 s, and the resume. */
function told({ next = 6, after = 0.001, headers = APISERVER, facts = {}, before }: Story): Finding {
  const b = new FactsBuilder();
  const pods = b.target('pods');
  if (before !== undefined) {
    const connection = before === 'kept' ? 5 : 4;
    b.stream(pods, { at: 0, end: 'eof', until: 60, timeout: 60, rv: '1', facts: { connection } });
  }
  const at = before === undefined ? 0 : 60.001;
  const own = { connection: 5, headers, ...facts };
  b.stream(pods, { at, end: 'eof', until: at + 70, byteAt: at + 30, timeout: 600, rv: '2', rvAt: at, facts: own });
  b.stream(pods, { at: at + 70 + after, rv: '3', rvAt: at + 30, timeout: 600, facts: { connection: next } });
  const findings = diagnose(b.run(at + 80));
  return findings.at(-1)!;
}

describe('the connection behind a proper early end', () => {
  it('was closed by an apiserver that stops', () => {
    const finding = told({});
    expect([finding.class, finding.confidence]).toEqual(['apiserver-shutdown', 'medium']);
    expect(finding.text).toContain('closed right behind the last chunk');
    expect(finding.title).not.toContain('came back');
  });

  it('was kept by one that ended this watch only', () => {
    const finding = told({ next: 5 });
    expect([finding.class, finding.confidence]).toEqual(['ambiguous-end', 'low']);
    expect(finding.evidence.join()).toContain('over the same connection');
  });

  it.each<[string, Story]>([
    ['where the answer had said that it would be closed', { headers: { ...APISERVER, connection: 'close' } }],
    ['where it is no apiserver’s', { headers: { server: 'edge' } }],
    ['where the next request came so late that our side may have let go of it', { after: 5 }],
    ['of HTTP/2', { facts: { httpVersion: '2' } }],
    ['where planned ends close it as well', { before: 'hung up' }],
  ])('says nothing %s', (_, story) => {
    expect(told(story).class).toBe('ambiguous-end');
  });

  it('is closed against the habit of that server', () => {
    expect(told({ before: 'kept' }).class).toBe('apiserver-shutdown');
  });
});

describe('a custom resource whose watch ended early', () => {
  const crd = (connection: number, notReady: boolean) => {
    const b = new FactsBuilder();
    const trees = b.target('trees.orchard.example.io');
    b.stream(trees, { at: 0, end: 'eof', until: 70, rv: '2', rvAt: 0, timeout: 600, last: ['5', 60] });
    const body = { text: 'storage is (re)initializing', size: 27 };
    if (notReady) b.stream(trees, { at: 70.001, rv: '5', rvAt: 60, end: 'rejected', status: 429, facts: { body } });
    b.goneA(trees, notReady ? 71.5 : 70.001, '5', '9', 60, { facts: { connection } });
    return diagnose(b.run(80)).find((one) => one.class === 'crd-changed');
  };

  it('is said to have kept its connection only where it did, and refused at once only where it was', () => {
    expect(crd(1, false)?.text).toMatch(/connection that went on working.*refused at once/);
    expect(crd(2, false)?.text).toBeUndefined();
    expect(crd(1, true)?.text).toMatch(/not ready for a while \(429\), and then the resume at RV 5 was refused:/);
  });
});
