import { describe, expect, it } from 'vitest';
import { quotable } from '../../src/client/secret-text.ts';

const pods = { index: 0, path: '/api/v1/pods', resource: 'pods' };
const secrets = { index: 0, path: '/api/v1/secrets', resource: 'secrets' };

describe('quotable', () => {
  it.each([
    ['half an event of a Secret', '{"type":"ADDED","object":{"kind":"Secret","data":{"p":"c2VzYW1l', pods],
    ['a list of them', '{"kind" : "SecretList","items":[{"data":{"p":"c2VzYW1l', pods],
    ['anything of a watch on secrets', '{"type":"ADDED","object":{"data":{"p":"c2VzYW1l', secrets],
  ])('%s is told by its size', (_, text, target) => {
    expect(quotable(text, target)).toBe(`(${text.length} characters of a Secret, not shown)`);
  });

  it.each([
    ['other text', '{"type":"ADDED","object":{"kind":"Pod"', pods],
    ['a proxy’s page in a watch on secrets', '<html>Sign in</html>', secrets],
  ])('%s is quoted', (_, text, target) => {
    expect(quotable(text, target)).toBe(text);
  });
});
