import type { WatchTarget } from '../client/facts.ts';
import type { FeedItem } from './feed.ts';
import { Ledgers } from './ledgers.ts';
import type { StreamLedger } from './stream-ledger.ts';
import type { WindowEstimate, WindowSilence } from './window-log.ts';
import { type WindowAlarm, windowAlarm, windowSentence } from './window-words.ts';

/** The windows are looked at this often, besides with each answer about them, ms. */
const LOOK_MS = 1_000;
/** A window that was short is called long again with twice the slack that made it short, ms. */
const LONG_AGAIN_MS = 40_000;
/** Between two lines about one window that do not say worse than the one before, ms. */
const QUIET_MS = 60_000;

/** What is known of the window of one target at the end. */
export interface WindowSummary {
  target: WatchTarget;
  label: string;
  estimate?: WindowEstimate;
  silence?: WindowSilence;
}

interface Said {
  alarm: WindowAlarm;
  at: number;
  /** That probes fail was told. */
  failed: boolean;
}

/**
 * Says in a line when a window becomes short or is lost, for those who have no header to look at, and once when it cannot be known.
 * Its notes go into the same feed as everything else.
 */
export class WindowWatch {
  readonly #ledgers = new Ledgers();
  readonly #said = new Map<number, Said>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** Takes what happened; gives what is to be said of it. `target`: whose item it is, if anybody's. */
  take(item: FeedItem, target: WatchTarget | undefined): FeedItem[] {
    if (target) this.#ledgers.take(item, target);
    const answered = item.kind === 'probe' && item.answer.kind === 'window';
    if (!answered && item.at - this.#lookedAt < LOOK_MS) return [];
    this.#lookedAt = item.at;
    return this.#ledgers.all.flatMap((ledger) => this.#look(ledger, item.at));
  }

  summary(now: number): WindowSummary[] {
    return this.#ledgers.all.flatMap(({ target, label, window }) => {
      const estimate = window.estimate(now);
      const silence = window.silence(now);
      if (!estimate && !silence) return [];
      return [{ target, label, ...(estimate ? { estimate } : {}), ...(silence ? { silence } : {}) }];
    });
  }

  #look({ target, label, window, open }: StreamLedger, at: number): FeedItem[] {
    const said = this.#said.get(target.index) ?? { alarm: 'none', at: Number.NEGATIVE_INFINITY, failed: false };
    this.#said.set(target.index, said);
    const silence = window.silence(at);
    if (silence?.kind === 'failed' && !said.failed) {
      said.failed = true;
      return [note(at, `window of ${label}: probes ${silence.word}, so how far back it reaches is not known`)];
    }
    const estimate = silence ? undefined : window.estimate(at);
    if (!estimate) return [];
    const alarm = this.#alarm(estimate, said.alarm);
    const worse = RANK[alarm] > RANK[said.alarm];
    if (alarm === said.alarm || (!worse && at - said.at < QUIET_MS)) return [];
    Object.assign(said, { alarm, at });
    const meaning = alarm === 'lost' && open ? LOST_WHILE_OPEN : MEANING[alarm];
    return [note(at, `window of ${label}: ${windowSentence(estimate)}${meaning}`)];
  }

  /** With a distance between becoming short and becoming long again, so that it does not flutter. */
  #alarm(estimate: WindowEstimate, before: WindowAlarm): WindowAlarm {
    const alarm = windowAlarm(estimate);
    const { slack } = estimate;
    return alarm === 'none' && before === 'short' && slack && slack.ms < LONG_AGAIN_MS ? 'short' : alarm;
  }
}

const RANK: Record<WindowAlarm, number> = { none: 0, short: 1, lost: 2 };
const MEANING: Record<WindowAlarm, string> = {
  none: ', enough again',
  short: ': a reconnect that takes longer meets a 410',
  lost: ': a resume would be refused',
};

/** Live watches do not need the window (facts/server §9, 19): only who comes back does. */
const LOST_WHILE_OPEN = ': the stream lives on, a resume would be refused';

function note(at: number, text: string): FeedItem {
  return { kind: 'note', at, text };
}
