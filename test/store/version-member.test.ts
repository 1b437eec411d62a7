import { describe, expect, it } from 'vitest';
import { StoredState } from '../../src/store/stored-state.ts';
import { copyFrom, versionMemberLength, writeVersionMember } from '../../src/store/version-member.ts';

describe('the resourceVersion between stored bytes', () => {
  it.each([0, 1, 9, 10, 99, 100, 1_000_000_500, 2 ** 31, 2 ** 32 + 7, 2 ** 50, Number.MAX_SAFE_INTEGER])(
    'is written in full: %d',
    (rv) => {
      const into = Buffer.alloc(64, 'x');
      writeVersionMember(rv, into, 3);
      expect(into.toString('latin1', 3, 3 + versionMemberLength(rv))).toBe(`,"resourceVersion":"${rv}"`);
      expect(into[3 + versionMemberLength(rv)]).toBe('x'.charCodeAt(0));
      expect(into[2]).toBe('x'.charCodeAt(0));
    },
  );

  it('leaves what stands around a copy as it was, whatever is left out of it', () => {
    const value = Buffer.from(
      `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u","labels":{}},"x":"${'y'.repeat(300)}"}`,
    );
    const state = new StoredState(undefined, value, 12_345);
    const whole = Buffer.from(state.json).toString();
    for (let from = 0; from <= whole.length; from += 1) {
      for (const at of [0, 1, from, 500]) {
        const into = Buffer.alloc(1000, '#');
        const end = state.copyJson(into, at, from);
        expect(into.toString('latin1')).toBe(`${'#'.repeat(at)}${whole.slice(from)}`.padEnd(1000, '#'));
        expect(end).toBe(at + whole.length - from);
      }
    }
  });

  it('copies the rest of many bytes', () => {
    const into = Buffer.alloc(10, '#');
    copyFrom(Buffer.alloc(200, 'a'), 195, into, 2);
    expect(into.toString()).toBe('##aaaaa###');
  });
});
