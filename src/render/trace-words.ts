import type { TraceItem } from './feed.ts';
import { sanitize } from './sanitize.ts';
import type { StyleName } from './spans.ts';

/**
 * What the embedded server or the story did, as a row. Writes are counted in the header instead (a burst would bury
 * everything), a refusal is seen by the client as the ERROR it got, and a verdict stands in its finding.
 */
export function traceWords(item: TraceItem): { mark: string; text: string; style: StyleName } | undefined {
  // Named where there are several apiservers.
  const server = phrase('', field(item, 'server'), ' ');
  const say = (mark: string, text: string, style: StyleName = 'server') => ({ mark, text: server + text, style });
  const subject = field(item, 'resource');
  switch (item.what) {
    case 'write':
    case 'refuse':
    case 'verdict':
    case 'listening':
      return undefined;
    case 'away':
      return say('▪', `${item.watcher ?? 'watcher'} leaves${phrase(', holds ', field(item, 'holdsRv', 'rv'))}`, 'dim');
    case 'back':
      return say('▫', `${item.watcher ?? 'watcher'} is back${phrase(', from ', field(item, 'holdsRv', 'rv'))}`, 'dim');
    case 'compact':
      return say('◇', `store compacted${phrase(' at ', field(item, 'rv'))}${phrase(' (', field(item, 'why'), ')')}`);
    case 'reinit':
      return say('◇', `${subject} cache rebuilds, its watchers are closed${phrase(' (', field(item, 'because'), ')')}`);
    case 'ready':
      return say(
        '◇',
        `${subject} cache READY, generation ${field(item, 'generation')}${phrase(' at ', field(item, 'rv'))}`,
      );
    case 'terminate':
      return say('◇', `server closes ${item.watcher ?? 'a watcher'} of ${subject}: too slow`);
    case 'resize':
      return say('◇', `${subject} ring ${field(item, 'from')} → ${field(item, 'to')}`);
    case 'cut': {
      const how = item.how === 'blackholed' ? 'falls silent: no byte passes, and nobody is told' : 'cut';
      return say('◇', `upstream${phrase(' of ', subject)} ${how}`);
    }
    case 'restore':
      return say('◇', `upstream${phrase(' of ', subject)} restored`);
    case 'restart':
      return say('◇', `apiserver ${item.how === 'killed' ? 'dies and starts anew' : 'restarts'}`);
  }
}

/** The first of `names` that has a value, as text. */
function field(item: TraceItem, ...names: string[]): string {
  for (const name of names) {
    const value = item[name];
    if (typeof value === 'string' || typeof value === 'number') return sanitize(String(value), 100);
  }
  return '';
}

function phrase(before: string, text: string, after = ''): string {
  return text === '' ? '' : before + text + after;
}
