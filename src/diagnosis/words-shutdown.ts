import { plural, span } from './quantity.ts';
import { quote } from './quote.ts';
import { passes } from './signs.ts';
import { afterwards, type OwnEndWords, refusedSentence, type ToldEnd } from './words-end-phrases.ts';

/** Words for a stream whose apiserver stopped in order. */
export function shutdownWords(told: ToldEnd): OwnEndWords {
  const { signs, stream } = told;
  const how = stream.end === 'goaway' ? 'goaway' : /GOAWAY/.test(stream.endDetail ?? '') ? 'goaway, then end' : 'end';
  const shown = shownBy(told);
  return {
    title: how === 'end' ? stoppedTitle(told) : 'GOAWAY: the apiserver is going down in order',
    text: [...story(told, how, shown.map(({ sentence }) => sentence).join(' ')), afterwards(told)],
    evidence: [
      `end: ${stream.end}${stream.endDetail ? ` (${quote(stream.endDetail, 100)})` : ''} after ${span(signs.ageMs)}`,
      ...shown.map(({ evidence }) => evidence),
    ],
    ruledOut: ['a planned end of the watch'],
    next: [
      'process_start_time_seconds in /metrics: newer than this end?',
      'kubectl get events -n kube-system: was a control-plane node drained or replaced?',
    ],
    who: `the apiserver, ${how === 'goaway' ? 'by GOAWAY' : 'by a proper end'}`,
    why: {
      goaway: 'GOAWAY NO_ERROR that ended the streams',
      'goaway, then end': 'GOAWAY NO_ERROR, then a proper early end',
      end: `proper early end, ${shown[0]?.why ?? 'and nothing of the watch itself explains it'}`,
    }[how],
    do: 'nothing: reconnect and resume',
  };
}

function story({ signs }: ToldEnd, how: 'goaway' | 'goaway, then end' | 'end', shown: string): string[] {
  if (how === 'goaway') {
    return [
      'The server sent GOAWAY with NO_ERROR and ended the streams of the connection: a graceful shutdown, as in a planned restart or a rolling replacement of the apiserver (or, less likely, of a proxy in front of it). A GOAWAY of --goaway-chance would have left the streams alone.',
      shown,
    ];
  }
  if (how === 'goaway, then end') {
    return [
      `The server sent GOAWAY with NO_ERROR, and the stream then ended properly, early, after ${span(signs.ageMs)}. ${shown} That is a graceful shutdown, as in a planned restart or a rolling replacement: the open streams go on for up to a minute, and then end in order.`,
    ];
  }
  const gone = signs.outage !== undefined && !passes(signs.outage);
  return [
    `The stream ended properly, without ERROR, after ${span(signs.ageMs)}. ${shown} That is what an orderly (graceful) ${gone ? 'stop' : 'restart'} of an apiserver looks like: it takes no new connections, its open streams go on for up to a minute and then end in order.${gone ? ' A restart would be over in seconds.' : ''}`,
  ];
}

function stoppedTitle({ signs: { outage, gone, refusedWhileOpen } }: ToldEnd): string {
  if (outage?.healed === false) return 'An apiserver stopped in order, and nobody answers since';
  return outage || gone?.signs.rebuild.restartedAt !== undefined
    ? 'An apiserver stopped in order and came back'
    : refusedWhileOpen > 0
      ? 'An apiserver stopped in order'
      : 'Most likely an apiserver stopped in order';
}

interface Shown {
  sentence: string;
  evidence: string;
  /** For a line: why we say so. */
  why: string;
}

/** What is seen of the stop beside the end itself, in the order of time. */
function shownBy({ signs }: ToldEnd): Shown[] {
  const { outage, refusedWhileOpen, hungUp, gone, togetherOther } = signs;
  const found: Shown[] = [];
  if (refusedWhileOpen > 0) {
    const refused = plural(refusedWhileOpen, 'new connection');
    found.push({
      sentence: `While it still lived, ${refused} had been refused.`,
      evidence: `${plural(refusedWhileOpen, 'connection')} refused while it lived`,
      why: 'and connections refused before it',
    });
  }
  if (togetherOther.length > 0) {
    const others = `${plural(togetherOther.length, 'stream')} of other resources`;
    found.push({
      sentence: `${others} ended in the same moment, as those of one apiserver do.`,
      evidence: `${others} ended together with it`,
      why: 'together with streams of other resources',
    });
  }
  if (hungUp) {
    found.push({
      sentence:
        'Its connection was closed right behind the last chunk: an apiserver that stops (or a proxy in front of it) does that, and one that ends a single watch keeps it open.',
      evidence: 'the connection was closed right behind the end; the next request needed a new one',
      why: 'and the connection closed right behind it',
    });
  }
  if (outage) {
    const { healed, attempts } = outage;
    found.push({
      sentence: `${refusedSentence(outage)}.`,
      evidence: `${plural(attempts, 'connection')} refused after it`,
      why: `then refused connections${healed ? ' that soon ended' : ''}`,
    });
  } else if (gone?.signs.rebuild.restartedAt !== undefined) {
    found.push({
      sentence: 'The process that answers now started after it.',
      evidence: 'process_start_time_seconds: the apiserver that answers started after it',
      why: 'and a process that started after it',
    });
  }
  return found;
}
