import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/protocol/api-error.ts';
import { everything as everyField } from '../../src/protocol/field-selector.ts';
import { everything as everyLabel } from '../../src/protocol/label-selector.ts';
import { parseListOptions } from '../../src/protocol/list-options.ts';
import { parseQuery } from '../../src/protocol/query.ts';
import type { Status } from '../../src/protocol/status.ts';
import recorded from './recorded-refusals.json' with { type: 'json' };

const parse = (query: string, watchList = false) => parseListOptions(parseQuery(query), { watchList });

function refusal(query: string, watchList = false): Status {
  try {
    parse(query, watchList);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    return (error as ApiError).status;
  }
  throw new Error(`accepted: ${query}`);
}

describe('parseListOptions refuses as v1.30.3 did', () => {
  it.each(recorded)('$query (WatchList: $watchList)', ({ query, watchList, status }) => {
    expect(JSON.stringify(refusal(query, watchList))).toBe(JSON.stringify(status));
  });
});

describe('parseListOptions refuses', () => {
  it.each([
    ['limit=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['timeoutSeconds=', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['limit=9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    // The first failure is told: numbers in the order of the type's fields, then labels, then fields.
    ['limit=x&timeoutSeconds=y', 'strconv.ParseInt: parsing "y": invalid syntax'],
    ['limit=x&labelSelector=!', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['fieldSelector=f&labelSelector=!', "unable to parse requirement: found '', expected: identifier"],
    ['limit=x&limit=1', 'strconv.ParseInt: parsing "x": invalid syntax'],
  ])('%s with 400', (query, message) => {
    expect(refusal(query)).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'BadRequest',
      code: 400,
    });
  });

  it('a number before a forbidden match', () => {
    expect(refusal('resourceVersionMatch=foo&limit=x').code).toBe(400);
  });
});

describe('parseListOptions reads', () => {
  it('nothing', () => {
    expect(parse('')).toEqual({
      watch: false,
      allowWatchBookmarks: false,
      resourceVersion: '',
      resourceVersionMatch: '',
      timeoutSeconds: undefined,
      limit: 0,
      continue: '',
      sendInitialEvents: undefined,
      labelSelector: everyLabel,
      fieldSelector: everyField,
    });
  });

  it('everything', () => {
    const options = parse(
      'watch=1&allowWatchBookmarks=true&resourceVersion=abc&resourceVersionMatch=NotOlderThan&timeoutSeconds=-3&limit=-1' +
        '&sendInitialEvents=true&labelSelector=a%3Db&fieldSelector=metadata.name%3Dx',
      true,
    );
    expect(options).toMatchObject({
      watch: true,
      allowWatchBookmarks: true,
      resourceVersion: 'abc',
      resourceVersionMatch: 'NotOlderThan',
      timeoutSeconds: -3,
      limit: -1,
      sendInitialEvents: true,
    });
    expect(options.labelSelector.matches({ a: 'b' })).toBe(true);
    expect(options.labelSelector.matches({})).toBe(false);
    expect(options.fieldSelector.requiresExactMatch('metadata.name')).toBe('x');
  });

  it.each([
    ['9223372036854775807', -1],
    ['18446744075', 1.290448384],
    ['9223372036', 9_223_372_036],
    ['-9223372036854775808', 0],
  ])('timeoutSeconds=%s as a 64-bit duration in nanoseconds (seen on a real apiserver): %d s', (asked, seconds) => {
    expect(parse(`watch=1&timeoutSeconds=${asked}`).timeoutSeconds).toBe(seconds);
  });

  it('a continue token and the matches of a list', () => {
    expect(parse('continue=abc&limit=5')).toMatchObject({ continue: 'abc', limit: 5 });
    expect(parse('resourceVersion=5&resourceVersionMatch=Exact').resourceVersionMatch).toBe('Exact');
    expect(parse('resourceVersion=0&resourceVersionMatch=NotOlderThan').resourceVersionMatch).toBe('NotOlderThan');
  });

  it.each([
    ['', false],
    ['watch=1', true],
    ['watch=true', true],
    ['watch=TRUE', true],
    ['watch=yes', true],
    ['watch=', true],
    ['watch', true],
    ['watch=2', true],
    ['watch=00', true],
    ['watch=0', false],
    ['watch=false', false],
    ['watch=False', false],
    ['watch=false&watch=true', false],
  ])('watch of "%s" as %s', (query, watch) => {
    expect(parse(query).watch).toBe(watch);
  });

  it('empty selectors as none', () => {
    expect(parse('labelSelector=&fieldSelector=&continue=&resourceVersion=')).toEqual(parse(''));
  });
});

describe('with WatchList a plain watch', () => {
  const initial = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' };
  it.each([
    ['watch=1', initial],
    ['watch=1&resourceVersion=0', initial],
    ['watch=1&resourceVersion=', initial],
    ['watch=1&resourceVersion=1', { sendInitialEvents: undefined, resourceVersionMatch: '' }],
    ['resourceVersion=0', { sendInitialEvents: undefined, resourceVersionMatch: '' }],
    ['watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', { sendInitialEvents: false }],
  ])('%s', (query, expected) => {
    expect(parse(query, true)).toMatchObject(expected);
  });

  it('is left alone without the gate', () => {
    expect(parse('watch=1', false)).toMatchObject({ sendInitialEvents: undefined, resourceVersionMatch: '' });
  });
});
