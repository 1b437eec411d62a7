import { KUBERNETES, KUBERNETES_BY_NAME } from './about-kubernetes.ts';
import type { Sentence } from './sentence.ts';

const KNOWN_CAUSE = 'the lines before and after it: the exception or status that the program met';

/**
 * What any program may say of its watch without a cause. Asked when nothing else is known. Only client-go's own words make a group of a log:
 * a reflector that fails hundreds of times has to be seen, whatever the reason is.
 */
export const GENERAL_SENTENCES: readonly Sentence[] = [
  {
    // client-go `tools/cache/reflector.go`, whose reason is cut off, dropped by the program, or not known.
    pattern:
      /\bFailed to watch(?: \*\w|: failed to list|\\{0,4}"|[ \t]*$)|\b[Ff]ailed to list \*\w|\bwatch of \*\S{1,200} ended with: /m,
    beside: KUBERNETES,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['connection-lost', 'unreachable', 'ring-buffer-expiry'],
    title: 'A reflector could not list or watch, and no cause was recognised in the line',
    text: 'An informer’s list or watch failed, and the reason is missing in the line or is none of those known here. The reflector tries again by itself, with growing pauses, and once is harmless. As long as it comes again and again, that program works with old data (or none, if it has just started).',
    next: [KNOWN_CAUSE, 'kwatch tail RESOURCE with the same credential: what does the server answer?'],
  },
  {
    pattern:
      /(?<![=":])(?:[Ee]rrors?(?!\.\w)|[Ff]ail(?:ed|ures?)|[Pp]roblem|[Ee]xception)\b.{0,60}\b(?:watch|reflector|informer)|\b(?:[Ww]atch(?:er|ing)?|[Rr]eflector|[Ii]nformer)\b.{0,60}\b(?:[Ee]rror|[Ff]ail(?:ed|ure)|died|crashed|exception)\b/,
    beside: KUBERNETES_BY_NAME,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['connection-lost', 'unreachable', 'ring-buffer-expiry'],
    ordinary: true,
    title: 'A watch failed, and this line does not say why',
    text: 'The program says that its watch or informer failed; no cause was recognised in the line. Most programs start again by themselves, and once is harmless; if it comes again and again, the cause has to be found.',
    next: [KNOWN_CAUSE, 'kwatch tail RESOURCE with the same credential: what does the server answer?'],
  },
  {
    pattern:
      /\b(?:[Ss]topping|[Cc]losing|[Cc]ancell?ing|[Ss]hutting down)\b.{0,20}\b(?:watch|websocket|informer|reflector)(?!.{0,60}\bdue to\b)/,
    beside: KUBERNETES_BY_NAME,
    class: 'self-inflicted',
    confidence: 'low',
    harm: 'harmless-once',
    others: ['server-timeout', 'ambiguous-end'],
    ordinary: true,
    title: 'The program closes its watch itself',
    text: 'The program ends a watch of its own: after its own time (fabric8 every 5 to 10 min), since the server ended it (END), or since it stops. What it does next stands in the lines after it; a new watch is all that is needed.',
    next: ['does a new watch follow? Then nothing is to be done'],
  },
  {
    pattern:
      /\b[Ww]atch(?:er|ing)?(?: stream| connection)?\b.{0,40}\b(?:closed|closure|ended|stopped|lost|terminated|expired)\b|\b(?:[Ss]topp(?:ed|ing)|[Cc]losed|[Ll]ost)\b.{0,20}\bwatch/,
    beside: KUBERNETES_BY_NAME,
    class: 'ambiguous-end',
    confidence: 'low',
    harm: 'depends',
    others: ['server-timeout', 'self-inflicted', 'connection-lost'],
    ordinary: true,
    title: 'A watch ended, and this line does not say why',
    text: 'Watches end: by their timeout after 5 to 60 min, since the program closes them, or since something cut them. The line does not tell which; a program that starts the next one goes on as it should. Many within seconds, or ends at a fixed age, are not ordinary.',
    next: [KNOWN_CAUSE, 'how old was it? kwatch tail RESOURCE shows age and silence of each end'],
  },
];
