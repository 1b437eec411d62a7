import { describe, expect, it } from 'vitest';
import { type DueProbe, ProbeGate, ProbeSchedule } from '../../src/client/probe-policy.ts';
import { rv } from '../../src/protocol/resource-version.ts';

const kinds = (due: DueProbe[]) => due.map(({ kind, rv: at }) => (at ? `${kind} ${at}` : kind));

describe('ProbeSchedule', () => {
  it('asks for version, counters and floor once, however often a watch is opened', () => {
    const schedule = new ProbeSchedule(true);
    schedule.opened(0);
    expect(kinds(schedule.due(0, true))).toEqual(['version', 'metrics', 'window']);
    schedule.opened(10);
    expect(kinds(schedule.due(10, true))).toEqual([]);
  });

  it('asks for the floor every 30 s, while it streams', () => {
    const schedule = new ProbeSchedule(true);
    schedule.opened(0);
    schedule.due(0, true);
    expect(schedule.nextAt(true)).toBe(30_000);
    expect(schedule.nextAt(false)).toBeUndefined();
    expect(kinds(schedule.due(90_000, false))).toEqual([]);
    expect(kinds(schedule.due(90_000, true))).toEqual(['window']);
    expect(schedule.nextAt(true)).toBe(120_000);
  });

  it('asks three times for the floor after a 410, and not again while 410s follow each other; for the counters each time', () => {
    const schedule = new ProbeSchedule(true);
    schedule.gone(0, rv('41'));
    expect(kinds(schedule.due(0, true))).toEqual(['exact 41', 'metrics', 'window']);
    expect(schedule.nextAt(false)).toBe(2000);
    schedule.gone(1000, rv('42'));
    expect(kinds(schedule.due(1000, false))).toEqual(['exact 42', 'metrics']);
    expect(kinds(schedule.due(10_000, false))).toEqual(['window', 'window']);
    expect(schedule.nextAt(false)).toBeUndefined();
  });

  it('asks nothing about RV 0, which everybody has', () => {
    const schedule = new ProbeSchedule(true);
    schedule.gone(0, rv('0'));
    expect(kinds(schedule.due(0, false))).toEqual(['metrics', 'window']);
  });

  it('asks nothing where probes are off', () => {
    const schedule = new ProbeSchedule(false);
    schedule.opened(0);
    schedule.gone(0, rv('41'));
    schedule.silent(0, rv('41'));
    expect(schedule.due(1_000_000, true)).toEqual([]);
    expect(schedule.nextAt(true)).toBeUndefined();
  });
});

describe('ProbeGate: a good guest', () => {
  const ask = (kind: DueProbe['kind'], at: number, urgent = false, about?: string): DueProbe => ({
    kind,
    at,
    urgent,
    ...(about === undefined ? {} : { rv: rv(about) }),
  });

  it('lets one routine window through in 30 s for each resource', () => {
    const gate = new ProbeGate();
    expect(gate.admit(ask('window', 0), 'pods')).toBe(true);
    expect(gate.admit(ask('window', 29_999), 'pods')).toBe(false);
    expect(gate.admit(ask('window', 29_999), 'nodes')).toBe(true);
    expect(gate.admit(ask('window', 30_000), 'pods')).toBe(true);
  });

  it('lets the windows after a 410 through, but not those of a sibling at the same moment', () => {
    const gate = new ProbeGate();
    expect([0, 10, 2000, 2010, 5000].map((at) => gate.admit(ask('window', at, true), 'pods'))).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
  });

  it('asks for version and counters once a run, for the counters again after a 410', () => {
    const gate = new ProbeGate();
    expect(gate.admit(ask('version', 0), 'pods')).toBe(true);
    expect(gate.admit(ask('version', 1e9), 'nodes')).toBe(false);
    expect(gate.admit(ask('metrics', 0), 'pods')).toBe(true);
    expect(gate.admit(ask('metrics', 1e6), 'nodes')).toBe(false);
    expect(gate.admit(ask('metrics', 1e6, true), 'nodes')).toBe(true);
  });

  it('sends nothing while it was asked to wait', () => {
    const gate = new ProbeGate();
    gate.quiet(120_000);
    gate.quiet(60_000);
    expect(gate.admit(ask('window', 119_999), 'pods')).toBe(false);
    expect(gate.admit(ask('exact', 119_999, true, '41'), 'pods')).toBe(false);
    expect(gate.admit(ask('window', 120_000), 'pods')).toBe(true);
  });

  it('asks once about one RV', () => {
    const gate = new ProbeGate();
    expect(gate.admit(ask('exact', 0, true, '41'), 'pods')).toBe(true);
    expect(gate.admit(ask('exact', 1, true, '41'), 'pods')).toBe(false);
    expect(gate.admit(ask('exact', 1, true, '42'), 'pods')).toBe(true);
  });

  it('sends no more than twenty in a minute, whatever the reason', () => {
    const gate = new ProbeGate();
    const admitted = Array.from({ length: 100 }, (_, n) => gate.admit(ask('exact', n, true, String(n)), 'pods'));
    expect(admitted.filter(Boolean)).toHaveLength(20);
    expect(gate.admit(ask('exact', 60_100, true, 'x'), 'pods')).toBe(true);
  });
});
