import type { Episode } from './episode.ts';
import { plural } from './quantity.ts';
import { quote } from './quote.ts';
import { resourceName } from './scene.ts';
import { rawCommand } from './tail-command.ts';
import type { Words } from './words.ts';
import { openStreamFacts } from './words-stream-facts.ts';

/** Words for changes that were not delivered, and for deletions that may be none. */

export function missedWords({ main }: Episode): Words {
  const { list, target } = main.place;
  const { count = 1, names = [], name = '?', rv = '?', coveredBy = { rv: '?', by: 'event' } } = list?.missed ?? {};
  const object = quote(name, 100);
  const others = names.filter((one) => one !== name).map((one) => quote(one, 60));
  const promise =
    coveredBy.by === 'bookmark'
      ? `The bookmark at ${coveredBy.rv} had promised that everything up to it was sent`
      : `An event at ${coveredBy.rv} had been delivered, and events come in the order of their RVs`;
  const proof =
    coveredBy.by === 'bookmark'
      ? 'That proves an event lost by the server (or by something that rewrites the stream on the way), no gap between list and watch.'
      : 'As far as this server keeps that order (kube-apiserver does), an event was lost by it, or by something that rewrites the stream on the way; it is no gap between list and watch.';
  return {
    title: `${plural(count, 'change')} never delivered: ${quote(name, 50)} at RV ${rv}, though ${coveredBy.rv} was`,
    text: [
      `The list shows ${object} at RV ${rv}, which no event brought. ${promise}: so the change was missed, not merely late. ${proof}`,
      others.length > 0 ? `So were: ${others.join(', ')}.` : '',
      'Clients that watch only (informers without a relist) hold a wrong state of it until the next change or relist. The usual place is one apiserver’s watch cache: a bad history of that process, which a restart of it cures.',
      'This client has the right state again: it has listed.',
    ],
    evidence: [
      `${object} at RV ${rv} in the list, never in an event`,
      `${coveredBy.by} at ${coveredBy.rv} delivered`,
      ...(list?.rv ? [`list at RV ${list.rv}`] : []),
    ],
    ruledOut: ['a gap in our own watching (the streams followed each other without a break)'],
    next: [
      `${rawCommand(target, 'resourceVersion=0')} at each apiserver (--server): which cache has it wrong?`,
      'restart that apiserver, then the controllers that read from it',
      'relist in clients that act on this resource',
    ],
    facts: {
      missed_rv: rv,
      covered_by_bookmark_rv: coveredBy.by === 'bookmark' ? coveredBy.rv : undefined,
      last_rv: list?.rv,
    },
    who: 'the server: it did not send what it had promised',
    why: `${quote(name, 60)} changed at ${rv}, ${coveredBy.by} ${coveredBy.rv} came, the change did not`,
    do: 'relist in every client of this resource; find the apiserver whose cache lost it',
  };
}

export function selectionWords({ main, members }: Episode): Words {
  const { stream, target } = main.place;
  const exits = stream?.selectionExits;
  const name = quote(exits?.first.name ?? '?', 80);
  const count = members.reduce((sum, { place }) => sum + (place.stream?.selectionExits?.count ?? 0), 0);
  const [namespace, object] = name.includes('/') ? name.split('/') : [undefined, name];
  const back = exits?.cameBack;
  const get = `kubectl get ${quote(resourceName(target), 60)} ${object}${namespace ? ` -n ${namespace}` : ''}`;
  return {
    title: back
      ? `DELETED meant: ${quote(back.name, 60)} left the selector; it came back`
      : `DELETED for ${name}: it may still exist, and only have left the selector`,
    text: [
      `This watch has a selector (label or field), and under one DELETED means: no longer in the selection. ${name}${count > 1 ? ` and ${plural(count - 1, 'other')}` : ''} went so, without a deletionTimestamp.`,
      back
        ? `${quote(back.name, 80)} was seen again as the same object${back.rv ? ` at RV ${back.rv}` : ''}: it had never been deleted, it only stopped matching for a while.`
        : 'It may still exist with another label or field, or be deleted for good: objects without a grace period carry no deletionTimestamp either. The event shows the state before the change, so its labels do not decide.',
      'A client must not clean up after an object because of this DELETED alone.',
    ],
    evidence: [
      `DELETED ${name}${exits?.first.rv ? ` at RV ${exits.first.rv}` : ''}, no deletionTimestamp`,
      ...(back ? [`${quote(back.name, 80)} seen again, same uid`] : []),
    ],
    ruledOut: [],
    next: [
      ...(back ? ['the client of this watch: take DELETED under a selector as "left the selection"'] : []),
      `${get}: NotFound means that it was deleted, anything else that it left the selection`,
      'without the selector the watch shows deletions only (and every object)',
    ],
    facts: openStreamFacts(stream),
    who: 'the server, as documented',
    why: back ? 'the same object came back into the selection' : 'a selector in use, no deletionTimestamp',
    do: back ? 'nothing' : `${get}, before anything is cleaned up for it`,
  };
}
