import type { Metrics } from '../util/metrics.ts';

/** Media type of the text format (prometheus/common expfmt). */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** All series in the text format of Prometheus. `startedAt`: ms since 1970, for `process_start_time_seconds`. */
export function metricsText(metrics: Metrics, startedAt: number): string {
  const lines: string[] = [];
  for (const { name, type, help, samples } of metrics.families()) {
    lines.push(`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`);
    for (const { labels, value } of samples.values()) lines.push(`${name}${labelText(labels)} ${value}`);
  }
  lines.push(
    '# HELP process_start_time_seconds [ALPHA] Start time of the process since unix epoch in seconds.',
    '# TYPE process_start_time_seconds gauge',
    `process_start_time_seconds ${startedAt / 1000}`,
  );
  return `${lines.join('\n')}\n`;
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((label) => `${label}="${escapeValue(labels[label] ?? '')}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeValue = (text: string) => escapeHelp(text).replaceAll('"', '\\"');
