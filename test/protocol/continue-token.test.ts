import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/protocol/api-error.ts';
import { decodeContinueToken, encodeContinueToken } from '../../src/protocol/continue-token.ts';

const PREFIX = '/registry/configmaps/ns/';
const token = (text: string) => Buffer.from(text).toString('base64url');

function refusal(text: string): string {
  try {
    decodeContinueToken(text, PREFIX);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    const { status } = error as ApiError;
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' });
    const start = 'invalid continue token: continue key is not valid: ';
    expect(status.message?.startsWith(start)).toBe(true);
    return status.message!.slice(start.length);
  }
  throw new Error(`accepted: ${text}`);
}

describe('a continue token', () => {
  it('is what v1.30.3 makes', () => {
    const made = encodeContinueToken(`${PREFIX}a\0`, PREFIX, 369);
    expect(made).toBe(token('{"v":"meta.k8s.io/v1","rv":369,"start":"a\\u0000"}'));
    expect(made).not.toContain('=');
  });

  it('is read back', () => {
    const name = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,9}$/).filter((one) => one !== '.' && one !== '..');
    const rv = fc.oneof(fc.constant(-1), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 2 }), rv, (segments, revision) => {
        const start = `${PREFIX}${segments.join('/')}\0`;
        const made = encodeContinueToken(start, PREFIX, revision);
        expect(decodeContinueToken(made, PREFIX)).toEqual({ start, rv: revision });
      }),
    );
  });

  it('may begin with a slash, as later versions make it', () => {
    const text = token('{"v":"meta.k8s.io/v1","rv":5,"start":"/a\\u0000"}');
    expect(decodeContinueToken(text, PREFIX)).toEqual({ start: `${PREFIX}a\0`, rv: 5 });
    expect(decodeContinueToken(token('{"v":"meta.k8s.io/v1","rv":5,"start":"/"}'), PREFIX).start).toBe(PREFIX);
  });

  it('is made of keys below the collection only', () => {
    expect(() => encodeContinueToken('/registry/secrets/ns/a', PREFIX, 1)).toThrow('does not begin with');
  });

  it.each([
    // Seen on a real v1.30.3.
    ['!!!', 'illegal base64 data at input byte 0'],
    ['YWJj', "invalid character 'a' looking for beginning of value"],
    ['garbage', "invalid character '\\u0081' looking for beginning of value"],
    [
      token('{"v":"meta.k8s.io/v9","rv":5,"start":"a"}'),
      'server does not recognize this encoded version meta.k8s.io/v9',
    ],
    [token('{"rv":5,"start":"a"}'), 'server does not recognize this encoded version '],
    [
      token('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}'),
      'incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    ],
    [token('{"v":"meta.k8s.io/v1","rv":5,"start":""}'), 'encoded start key empty (version meta.k8s.io/v1)'],
    [token('{"v":"meta.k8s.io/v1","rv":5,"start":"../../secrets/x"}'), '../../secrets/x'],
    // By Go's encoding/base64, encoding/json and path.
    ['YWJ!', 'illegal base64 data at input byte 3'],
    ['YWJj=', 'illegal base64 data at input byte 4'],
    ['YWJjZ', 'illegal base64 data at input byte 4'],
    ['', 'unexpected end of JSON input'],
    [token(' \n'), 'unexpected end of JSON input'],
    [token('{"v":"meta'), 'unexpected end of JSON input'],
    [token('null'), 'server does not recognize this encoded version '],
    [token('[1]'), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
    [token('"a"'), 'json: cannot unmarshal string into Go value of type storage.continueToken'],
    [token('5'), 'json: cannot unmarshal number into Go value of type storage.continueToken'],
    [token('true'), 'json: cannot unmarshal bool into Go value of type storage.continueToken'],
    [token('{"v":5}'), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
    [token('{"start":{}}'), 'json: cannot unmarshal object into Go struct field continueToken.start of type string'],
    [token('{"rv":"5"}'), 'json: cannot unmarshal string into Go struct field continueToken.rv of type int64'],
    [token('{"rv":1.5}'), 'json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64'],
    ...['a//b', 'a/', './a', 'a/.', 'a/../b', '..', '/..', '//a'].map((start) => [
      token(`{"v":"meta.k8s.io/v1","rv":5,"start":"${start}"}`),
      start,
    ]),
  ])('%s is refused: %s', (text, why) => {
    expect(refusal(text!)).toBe(why);
  });

  it('never leads out of its collection, and fails only with an answer', () => {
    const start = fc
      .array(fc.constantFrom('a', '/', '.', '..', '\0', 'é'), { maxLength: 6 })
      .map((parts) => parts.join(''));
    const text = fc.oneof(
      fc.string(),
      start.map((one) => token(JSON.stringify({ v: 'meta.k8s.io/v1', rv: 5, start: one }))),
      fc.json().map(token),
    );
    fc.assert(
      fc.property(text, (one) => {
        try {
          const position = decodeContinueToken(one, PREFIX);
          expect(position.start.startsWith(PREFIX)).toBe(true);
          expect(position.start.slice(PREFIX.length).split('/')).not.toContain('..');
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error.status.code).toBe(400);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
