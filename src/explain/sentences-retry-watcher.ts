import type { Sentence } from './sentence.ts';

/** client-go's RetryWatcher (tools/watch/retrywatcher.go), on which Argo CD, `kubectl wait` and others watch: what is not told by its errors. */
export const RETRY_WATCHER_SENTENCES: readonly Sentence[] = [
  {
    pattern:
      /Failed to get event! Re-creating the watcher|(?:Restarting|Starting|Stopping) RetryWatcher\b|RetryWatcher: (?:context|done)/,
    class: 'server-timeout',
    confidence: 'medium',
    harm: 'harmless-once',
    others: ['ambiguous-end'],
    ordinary: true,
    title: 'A watch had come to its end, and client-go’s RetryWatcher opens the next one',
    text: 'The words sound worse than they are: the stream had ended without an error, mostly since its time was over (30 to 60 min unless the client asks for less), and the next watch begins at the RV of the last event or bookmark. Nothing is lost by it. Only many within seconds would mean that something ends each watch at once.',
    next: ['nothing is to be done', 'how far apart are they? Seconds: kwatch tail RESOURCE shows what ends it'],
  },
];
