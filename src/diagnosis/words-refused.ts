import { retryAfterMs } from '../protocol/retry-after.ts';
import { type Answer, answerOf } from './answer.ts';
import type { Episode } from './episode.ts';
import { goneSigns, isGone } from './gone-signs.ts';
import { tooLargeText } from './known-texts.ts';
import { span } from './quantity.ts';
import { quote } from './quote.ts';
import { type Attempt, firstAfter, placeAt } from './scene.ts';
import { gaveHistory, previousLive } from './signs.ts';
import type { Words } from './words.ts';
import { heldBackAgainWords } from './words-buffering.ts';
import { authWords, forbiddenWords } from './words-denied.ts';
import { gatewayWords } from './words-gateway.ts';
import { oldWords } from './words-gone-phrases.ts';
import { brokenListWords } from './words-lost.ts';
import { notAWatchWords, rejectedWords } from './words-not-a-watch.ts';
import { notReadyWords, shuttingDownWords, throttledWords, tooLargeWords } from './words-not-now.ts';
import { type OwnRefusedWords, rvOf, type ToldRefusal } from './words-refused-phrases.ts';
import { conversionWords, storageWords } from './words-server-trouble.ts';
import { unreachableWords } from './words-unreachable.ts';

/** Words for requests that were turned away, and for ERRORs in the stream that are no 410. */
export function refusedWords(episode: Episode, answer: Answer): Words {
  const { place } = episode.main;
  const latest = episode.members.at(-1)!;
  const told: ToldRefusal = {
    episode,
    place,
    answer,
    latest: latest.answer ?? answer,
    repeats: episode.members.length,
    over: answeredAgain(episode) !== undefined,
  };
  const words = byClass(told);
  const over = overSentence(told);
  return {
    ...words,
    text: [...words.text, over, goneSentence(episode)],
    evidence: [
      ...words.evidence,
      ...(answer.message.trim() ? [`the answer said: "${quote(answer.message, 150)}"`] : []),
      ...(told.repeats > 1 ? [`${told.repeats} answers of this kind in a row`] : []),
    ],
    facts: refusedFacts(told),
  };
}

/** Refusals that are over by now: whoever reads of them has to know. */
function overSentence({ episode }: ToldRefusal): string {
  const { class: name } = episode.main.decision;
  if (name === 'unreachable' || name === 'proxy-buffering') return '';
  const first = episode.members[0]!.place;
  const again = answeredAgain(episode);
  if (!again) return '';
  const at = again.stream?.openedAt ?? again.list?.endedAt ?? again.at;
  return `It is over by now: a ${again.list ? 'LIST' : 'watch'} was answered ${span(Math.max(0, at - first.at))} after ${episode.members.length > 1 ? 'the first of these answers' : 'it'}.`;
}

/** What such an absence may come to: the RV that was kept for the resume is too old by then. */
function goneSentence({ members }: Episode): string {
  const last = members.at(-1)!.place;
  for (let i = last.index + 1; i < last.line.length; i++) {
    const place = placeAt(last, i);
    const answer = answerOf(place);
    if (answer && isGone(answer)) {
      const signs = goneSigns(place, answer);
      const { requested, floor } = signs;
      const age = oldWords(signs);
      const old = age === undefined ? '' : `, ${age} old by then,`;
      const from = requested === undefined ? 'The resume' : `The resume from RV ${requested}${old}`;
      const begins = floor === undefined ? '' : ` (the history begins at ${floor})`;
      return `${from} was ${old === '' ? 'then ' : ''}refused with 410${begins}, so clients list again: the finding about it tells more.`;
    }
    if (wasGranted(place)) return '';
  }
  return '';
}

/** The first request after these refusals that was granted. */
function answeredAgain({ members }: Episode): Attempt | undefined {
  const last = members.at(-1)!.place;
  return firstAfter(last, wasGranted);
}

function wasGranted({ stream, list }: Attempt): boolean {
  return stream ? gaveHistory(stream) : list?.rv !== undefined;
}

function byClass(told: ToldRefusal): OwnRefusedWords {
  switch (told.episode.main.decision.class) {
    case 'unreachable':
      return unreachableWords(told);
    case 'connection-lost':
      return brokenListWords(told);
    case 'proxy-buffering':
      return heldBackAgainWords(told);
    case 'rv-too-large':
      return tooLargeWords(told);
    case 'apf-rejected':
      return throttledWords(told);
    case 'watch-cache-not-ready':
      return notReadyWords(told);
    case 'conversion-webhook-failed':
      return conversionWords(told);
    case 'storage-error':
      return storageWords(told);
    case 'apiserver-shutdown':
      return shuttingDownWords(told);
    case 'auth-expired':
      return authWords(told);
    case 'forbidden':
      return forbiddenWords(told);
    case 'not-a-watch':
    case 'crd-changed':
      return notAWatchWords(told);
    case 'request-rejected':
      return rejectedWords(told);
    default:
      return gatewayWords(told);
  }
}

function refusedFacts({ place, answer, latest, repeats }: ToldRefusal): Words['facts'] {
  const large = tooLargeText(answer.message);
  const after = retryAfterMs(latest.headers, latest.status);
  const { stream } = place;
  return {
    requested_rv: large?.requested ?? stream?.requestedRv ?? rvOf(place.list?.methodPath),
    current_rv: tooLargeText(latest.message)?.current ?? large?.current,
    http_status: answer.httpStatus,
    status_code: answer.code,
    retry_after_s: after === undefined ? undefined : Math.round(after / 1000),
    last_rv: stream?.lastRv ?? previousLive(place)?.lastRv,
    events: stream && answer.inStream ? stream.events : undefined,
    bookmarks: stream && answer.inStream ? stream.bookmarks : undefined,
    connections: repeats > 1 ? repeats : undefined,
  };
}
