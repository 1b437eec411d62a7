import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { explainText, recognise } from '../../src/explain/explain.ts';
import { mayTell } from '../../src/explain/hints.ts';
import { SENTENCES } from '../../src/explain/sentences.ts';

describe('sentences of programs', () => {
  it.each([
    [
      'E1 a.go:1: Failed to watch *v1.Pod: Get "https://192.0.2.1:6443/api/v1/pods": dial tcp 192.0.2.1:6443: connect: connection refused',
      'unreachable',
    ],
    ['watch of *v1.Pod ended with: unable to decode: http2: client connection lost', 'silent-stall'],
    ['watch of *v1.Pod ended with: stream error: stream ID 117; INTERNAL_ERROR; received from peer', 'connection-lost'],
    [
      'E1 cacher (pods): unexpected ListAndWatch error: failed to list *core.Pod: etcdserver: request timed out',
      'storage-error',
    ],
    ['W1 cacher.go:171] Terminating all watchers from cacher pods', 'cache-rebuilt'],
    [
      'storage is (re)initializing: failed to list: conversion webhook for farm.example.io/v1, Kind=Orchard failed',
      'conversion-webhook-failed',
    ],
    ['pods is forbidden: User "x" cannot watch resource "pods"', 'forbidden'],
    ['Failed to watch *v1.Pod: Unauthorized', 'auth-expired'],
    ['<head><title>502 Bad Gateway</title></head>', 'gateway-error'],
    ['<head><title>413 Request Entity Too Large</title></head>', 'gateway-error'],
    ['Failed to watch *v1.Orchard: the server could not find the requested resource', 'not-a-watch'],
    [
      'resourceVersion: Invalid value: "latest": strconv.ParseUint: parsing "latest": invalid syntax',
      'request-rejected',
    ],
    [
      'Error from server: the server responded with the status code 410 but did not return more information',
      'ambiguous-410',
    ],
  ])('%s', (text, name) => {
    expect(recognise(text)).toMatchObject({ class: name, ordinary: false });
    expect(mayTell(text)).toBe(true);
  });

  it.each([
    'dial tcp 192.0.2.5:5432: connect: connection refused',
    'read from queue: unexpected EOF',
    'x509: certificate has expired or is not yet valid, smtp.example.io',
    'PUT https://blobs.example.io/7: 410 Gone',
    "googleapi: Error 429: Quota exceeded for quota metric 'Queries', rateLimitExceeded",
  ])('does not take another program’s trouble for a watch’s: %s', (text) => {
    expect(recognise(text).class).toBe('unknown');
  });

  it('never passes over a line that would be recognised', () => {
    const folder = fileURLToPath(new URL('../../fixtures/explain/', import.meta.url));
    const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
    const lines = logs.flatMap((name) => readFileSync(folder + name, 'utf8').split('\n'));
    const tells = (line: string) => {
      const found = recognise(line);
      return found.class !== 'unknown' && !found.ordinary;
    };
    expect(lines.filter((line) => tells(line) && !mayTell(line))).toEqual([]);
  });

  it.each([
    '[ERROR] plugin/kubernetes: Failed to watch',
    'E1 reflector.go:158] "Failed to watch" err="some new reason" reflector="pkg/a.go:1" type="*v1.Pod"',
    'W1 reflector.go:484] a.go:1: watch of *v1.Pod ended with: some new reason',
  ])('makes a group of a reflector that fails for an unknown reason: %s', (text) => {
    expect(recognise(text)).toMatchObject({ class: 'ambiguous-end', confidence: 'low', ordinary: false });
    expect(mayTell(text)).toBe(true);
  });

  it('knows ordinary work', () => {
    expect(recognise('{"msg":"finished scheduled compaction"}')).toMatchObject({ class: 'healthy', ordinary: true });
    expect(recognise('Watch close - *v1.Pod total 15 items received')).toMatchObject({
      class: 'server-timeout',
      ordinary: true,
    });
  });

  it('says each within the lengths of an explanation', () => {
    for (const { title, text, next } of SENTENCES) {
      expect(title.length).toBeLessThanOrEqual(120);
      expect(text.length).toBeLessThanOrEqual(900);
      expect(next.length).toBeGreaterThan(0);
      expect(next.length).toBeLessThanOrEqual(5);
    }
    expect(explainText('HTTP/1.1 502 Bad Gateway\nServer: nginx/1.25\n\n<title>502 Bad Gateway</title>').title).toBe(
      '502: nginx answered, not the apiserver',
    );
    expect(explainText('pods is forbidden: User "x" cannot watch resource "pods"').title).toMatch(/^403/);
  });
});
