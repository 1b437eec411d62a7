import { describe, expect, it } from 'vitest';
import { maskTokens } from '../../src/explain/log-mask.ts';

describe('tokens in lines of a log', () => {
  it.each([
    ['-H "Authorization: Bearer abc.DEF-123_45" https://x', '-H "Authorization: Bearer [masked]" https://x'],
    ['curl -u x Authorization: Basic dXNlcjpwYXNz', 'curl -u x Authorization: Basic [masked]'],
    ['got eyJhbGciOiJub25lIn0.eyJzdWIiOiJkZW1vIn0.c2VjcmV0 back', 'got [masked] back'],
    ['{"token":"s3cr3tvalue","x":1}', '{"token":"[masked]","x":1}'],
    ['{"log":"{\\"password\\":\\"hunter22\\"}"}', '{"log":"{\\"password\\":\\"[masked]\\"}"}'],
    ['access_token=abcdef&x=1', 'access_token=[masked]&x=1'],
    ['client-secret: abcdef', 'client-secret: [masked]'],
    ['https://user:hunter22@proxy.example.io/x', 'https://user:[masked]@proxy.example.io/x'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE', '[masked]'],
    [`key ${'QUJD'.repeat(40)}==`, 'key [masked]'],
  ])('%s', (line, masked) => expect(maskTokens(line)).toBe(masked));

  it.each([
    'failed to list *v1.Secret: secrets is forbidden',
    'watch of *v1.Secret ended with: too old resource version: 1 (2)',
    'The provided continue parameter is too old',
    'Get "https://192.0.2.10:6443/api/v1/pods?resourceVersion=1": EOF',
  ])('leaves alone: %s', (line) => expect(maskTokens(line)).toBe(line));
});
