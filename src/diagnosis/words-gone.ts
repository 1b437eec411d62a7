import type { Episode } from './episode.ts';
import { type GoneSigns, healingOf } from './gone-signs.ts';
import { isLoop } from './severity.ts';
import type { Words } from './words.ts';
import { ringWords } from './words-gone-cache.ts';
import { continueWords, directWords, undecidedWords } from './words-gone-etcd.ts';
import { type OwnWords, relistSentence, ruledOutPhrases, said, type Told } from './words-gone-phrases.ts';
import { rebuiltWords, throughCacheWords } from './words-rebuilt.ts';
import { notSeenSentence } from './words-unasked.ts';

/** Words for each row of the truth table. What is decided stands in gone.ts; here is only how it is said. */
export function goneWords(episode: Episode, signs: GoneSigns, pinned?: number): Words {
  const { main } = episode;
  const told = {
    episode,
    signs,
    place: main.place,
    R: signs.requested ?? '(none in the request)',
    M: signs.floor ?? '?',
    pinned,
  };
  const words = byClass(told);
  const loop = isLoop(episode);
  const repeats = episode.members.length;
  const facts = goneFacts(told);
  return {
    ...words,
    text: [
      ...words.text,
      ...(signs.requested === undefined && !signs.answer.hadContinue && main.decision.class === 'ambiguous-410'
        ? []
        : [relistSentence(healingOf(episode.members.at(-1)!.place), loop)]),
      notSeenSentence(told, words.text.join(' ')),
      ...(repeats > 1
        ? [`It was refused ${repeats} times${signs.requested === undefined ? '' : ' with the same RV'}.`]
        : []),
    ],
    evidence: [...words.evidence, `the server said: ${said(signs)}`, ...etcdEvidence(signs)],
    ruledOut: ruledOutPhrases(signs, main.decision.class),
    facts,
    do: loop ? 'stop the loop: list again without resourceVersion, and mend what keeps the old RV' : words.do,
  };
}

function byClass(told: Told): OwnWords {
  switch (told.episode.main.decision.class) {
    case 'ring-buffer-expiry':
      return ringWords(told);
    case 'cache-rebuilt':
      return rebuiltWords(told);
    case 'upstream-compaction':
      return told.signs.text.refusedBy === 'etcd' ? directWords(told) : throughCacheWords(told);
    case 'continue-token-expired':
      return continueWords(told);
    default:
      return undecidedWords(told);
  }
}

function etcdEvidence(signs: GoneSigns): string[] {
  if (signs.text.refusedBy === 'etcd' || signs.etcdHasR === undefined) return [];
  return [
    signs.etcdHasR
      ? `etcd still has RV ${signs.requested} (Exact list: 200)`
      : `etcd has compacted RV ${signs.requested} (Exact list: 410)`,
  ];
}

function goneFacts({ signs, place }: Told): Words['facts'] {
  const { answer, giver } = signs;
  return {
    refused_by: signs.text.refusedBy,
    requested_rv: answer.hadContinue
      ? undefined
      : (signs.text.requested ?? place.stream?.requestedRv ?? signs.requested),
    oldest_startable_rv: signs.floor,
    token_rv: answer.tokenRv,
    http_status: answer.httpStatus,
    status_code: answer.code,
    last_rv: place.stream?.cameTo?.rv ?? giver?.lastRv ?? place.stream?.lastRv,
  };
}
