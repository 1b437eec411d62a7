import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clearer, epoch, type LogTime, readTime } from '../../src/explain/log-time.ts';

const iso = (time: LogTime | undefined) => time && `${new Date(time.ms).toISOString()} ${time.scale}`;

describe('times of log lines', () => {
  it.each([
    ['2026-09-03T06:00:00.000620082Z stderr F x', '2026-09-03T06:00:00.000Z utc'],
    ['2026-09-03T08:11:36+02:00 x', '2026-09-03T06:11:36.000Z utc'],
    ['2026-09-03T08:11:36.5-0930 host kubelet[1]: x', '2026-09-03T17:41:36.500Z utc'],
    ['2026-09-03 08:11:36 UTC x', '2026-09-03T08:11:36.000Z utc'],
    ['2026-02-26 19:01:17,974 - kopf - x', '2026-02-26T19:01:17.974Z local'],
    ['2026-07-26 13:35:17 ERROR Fleet:499 - x', '2026-07-26T13:35:17.000Z local'],
    ['2026/02/10 13:33:09.123456 x', '2026-02-10T13:33:09.123Z local'],
    ['W0611 04:12:09.118 1 reflector.go:470] x', '2024-06-11T04:12:09.118Z yearless'],
    ['I0229 23:59:59.999999       1 x.go:1] x', '2024-02-29T23:59:59.999Z yearless'],
    ['Mar  6 14:21:02 cp-1 kube-apiserver[1187]: x', '2024-03-06T14:21:02.000Z yearless'],
    ['10/Feb/2026:13:33:09 +0100] "GET /', '2026-02-10T12:33:09.000Z utc'],
    ['Thu, 05 Nov 2026 15:28:51 GMT', '2026-11-05T15:28:51.000Z utc'],
    ['Sep 3, 2026 @ 16:20:01.250', '2026-09-03T16:20:01.250Z local'],
    ['13:35:17.123 [main] ERROR', '1970-01-01T13:35:17.123Z clock'],
    ['1783864800.123 x', '2026-07-12T14:00:00.123Z utc'],
    ['1.7838648001234e+09\tERROR\tx', '2026-07-12T14:00:00.123Z utc'],
    ['1783864800123 x', '2026-07-12T14:00:00.123Z utc'],
  ])('%s', (text, expected) => expect(iso(readTime(text))).toBe(expected));

  it.each([
    '',
    'watch of *v1.Pod',
    '192.0.2.10:6443',
    '2026-13-03T06:00:00Z',
    'Watching 12 03:04:05',
    '410 Gone',
    'E9941 04:12:09.1',
  ])('reads no time in %j', (text) => expect(readTime(text)).toBeUndefined());

  it('tells seconds, ms, µs and ns apart by their size', () => {
    for (const text of ['1783864800', '1783864800000', '1783864800000000', '1783864800000000000', '1783864800.0'])
      expect(epoch(text)?.ms).toBe(1783864800000);
    for (const text of ['41877', '-1', 'NaN', '', '1e400']) expect(epoch(text)).toBeUndefined();
  });

  it('reads back every moment that is written with a zone', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1970-01-01T00:00:00Z'), max: new Date('2199-12-31T23:59:59Z'), noInvalidDate: true }),
        (date) => {
          expect(readTime(date.toISOString())).toEqual({ ms: date.getTime(), scale: 'utc' });
        },
      ),
    );
  });

  it('prefers the time that says more', () => {
    const utc: LogTime = { ms: 1, scale: 'utc' };
    const klog: LogTime = { ms: 2, scale: 'yearless' };
    expect(clearer(klog, utc)).toBe(utc);
    expect(clearer(utc, klog)).toBe(utc);
    expect(clearer(undefined, klog)).toBe(klog);
  });
});
