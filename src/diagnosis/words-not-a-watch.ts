import type { WatchTarget } from '../client/facts.ts';
import { quote } from './quote.ts';
import { isCustomResource, resourceName } from './scene.ts';
import { previousLive } from './signs.ts';
import { type OwnRefusedWords, sentence, type ToldRefusal } from './words-refused-phrases.ts';

/** Words for requests that the server does not take as a watch, or not with these parameters. */

export function notAWatchWords({ place, answer, episode, over }: ToldRefusal): OwnRefusedWords {
  const { rule } = episode.main.decision;
  if (rule === 'document instead of a stream') return documentWords(place.target, answer);
  if (rule === 'resource gone') return goneResourceWords(place.target, over);
  const code = answer.httpStatus ?? answer.code ?? 404;
  const noWatch = code === 405;
  const before = previousLive(place) !== undefined;
  const foreign = !answer.fromApiserver && !answer.status;
  const server = answer.headers.server ?? answer.headers.via;
  const path = quote(place.target.path, 100);
  return {
    title: noWatch ? `405: ${path} cannot be watched` : `404: there is no ${path}${before ? ' any more' : ''}`,
    text: [
      noWatch
        ? `HTTP 405 MethodNotAllowed: the server knows ${path}, but not as something to watch.`
        : before
          ? `HTTP 404 for ${path}, which was live before in this run. So the path is right: another server answers now (a route of a proxy, another cluster behind the address), or this one serves the API no longer.`
          : `HTTP 404: this server has no such path or resource: ${path}. The group, version or plural is wrong, or the CRD or aggregated API behind it is not installed here.`,
      foreign
        ? `The answer bears no Audit-Id and no Status: a proxy in front of the apiserver${server ? ` ("${quote(server, 40)}")` : ''} may have said it, which has no route for this path or does not let it through.`
        : '',
      answer.message.trim() ? `It said: "${quote(answer.message, 160)}".` : '',
    ],
    evidence: [`path: ${path}`],
    ruledOut: ['permissions (that would be 403)'],
    next: [
      ...(foreign
        ? [
            '--server: does this address lead to an apiserver, and does the proxy there still have a route for this path?',
          ]
        : []),
      'kubectl api-resources -o wide: name, group, version, and whether watch is among the verbs',
      'a path of another version or group, as kubectl get --raw shows it',
      ...(noWatch && !foreign ? ['LIST it from time to time (poll) where it really has no watch'] : []),
    ],
    who: `${foreign ? 'the server or a proxy' : 'the apiserver'}, HTTP ${code}`,
    why: noWatch ? 'the resource has no verb watch' : 'no such path or resource',
    do: 'correct the resource or path',
  };
}

function documentWords({ path, name }: WatchTarget, answer: ToldRefusal['answer']): OwnRefusedWords {
  if (BINARY.test(answer.headers['content-type'] ?? '')) return binaryWords(path, answer);
  const kind = answer.jsonKind ? quote(answer.jsonKind, 60) : undefined;
  const type = quote(answer.headers['content-type'] ?? 'unknown type', 60);
  const empty = answer.bodySize === 0;
  const what = kind
    ? `one JSON document of kind ${kind}`
    : empty
      ? `an empty body (0 bytes, ${type})`
      : `a body that is no Kubernetes stream (${type})`;
  return {
    title: kind
      ? `200, but no watch: the answer is a plain ${kind}`
      : '200, but no watch: the answer is no stream of events',
    text: [
      `The answer to the ${answer.isList ? 'LIST' : 'watch'} was HTTP 200 with ${what}, and then the end: ${kind?.endsWith('List') ? 'the server did a list' : kind ? 'the server did a plain get' : 'it is not of the watch API'}.`,
      kind && name !== undefined && !kind.endsWith('List')
        ? `The path names one object (${quote(name, 60)}), and there the server takes no notice of the watch parameter (watch=1): one object is watched as a collection with a fieldSelector.`
        : kind
          ? 'So the watch parameter (watch=1) did not reach it: it was dropped on the way (client library, proxy, rewrite rule that strips the query string), or the path names one object, where watch is ignored.'
          : empty
            ? 'A watch that is accepted has no length: its body is open until it ends. Something answered in its place, or took the body away (a proxy, a health endpoint, HEAD in place of GET).'
            : 'Most likely a login page, a captive portal or a proxy answered in its place.',
    ],
    evidence: [`path: ${quote(path, 100)}`, `Content-Type: ${type}`, `${answer.bodySize} bytes`],
    ruledOut: ['a stream that ended'],
    next: [
      ...(kind && !kind.endsWith('List')
        ? [`fieldSelector=metadata.name=${quote(name ?? 'NAME', 60)}: one object is watched as a collection, with this`]
        : []),
      ...(kind && name === undefined
        ? [
            'watch=true: does the request that arrives still carry its query string? See the audit log or the access log of the proxy',
          ]
        : []),
      ...(kind ? [] : ['--server: is this the address of an apiserver?']),
      'the same request past any proxy',
    ],
    who: 'the server, HTTP 200 with a document',
    why: kind ? `a ${kind} instead of events` : `${type} instead of events`,
    do: kind
      ? name === undefined
        ? 'find who strips the watch parameter'
        : 'watch the collection with a fieldSelector'
      : 'find who answers in place of the apiserver',
  };
}

/** Encodings of the Kubernetes API that are no JSON. */
const BINARY = /protobuf|cbor/i;

function binaryWords(path: string, answer: ToldRefusal['answer']): OwnRefusedWords {
  const type = quote(answer.headers['content-type'] ?? '', 80);
  return {
    title: '200, but in another encoding than JSON',
    text: [
      `The ${answer.isList ? 'LIST' : 'watch'} was answered with HTTP 200 as ${type}, though JSON was asked for (Accept). What it holds cannot be read here.`,
      'An apiserver answers as Accept says: something on the way changed that header, or its cache answered with what another client had asked for.',
    ],
    evidence: [`path: ${quote(path, 100)}`, `Content-Type: ${type}`],
    ruledOut: ['a stream that ended'],
    next: [
      'Accept: application/json: does it arrive at the apiserver? See the audit log or the access log of the proxy',
      'the same request past any proxy',
    ],
    who: 'the server, HTTP 200 in another encoding',
    why: `${type} instead of JSON`,
    do: 'find who changes the Accept header',
  };
}

function goneResourceWords(target: WatchTarget, over: boolean): OwnRefusedWords {
  const resource = quote(resourceName(target), 60);
  return {
    title: `404: ${resource} ${over ? 'was not served for a while' : 'is served no longer'}`,
    text: [
      `A watch on ${resource} was live before, and then the server answered 404: its CustomResourceDefinition (CRD) was removed, or no longer serves this version${isCustomResource(target) ? '' : ', or the API was switched off'}.`,
      over
        ? 'By now it is served again: list again, objects of before may be gone.'
        : 'Discover again what is served; a relist of the old path does not help.',
    ],
    evidence: ['live before, 404 now'],
    ruledOut: ['a wrong path (it worked before)'],
    next: [
      `kubectl get crd ${resource} -o jsonpath={.spec.versions[*].name}`,
      'kubectl api-resources: which versions are served now?',
    ],
    who: 'the apiserver, HTTP 404',
    why: 'the path worked before',
    do: 'watch a version that is served',
  };
}

export function rejectedWords({ place, answer, episode }: ToldRefusal): OwnRefusedWords {
  const code = answer.httpStatus ?? answer.code ?? 400;
  const causes = (answer.status?.details?.causes ?? [])
    .flatMap(({ field, message }) => (field || message ? [`${field ?? ''}: ${message ?? ''}`] : []))
    .slice(0, 3);
  const message = quote(answer.message, 280);
  const rv = episode.main.decision.rule === 'invalid rv';
  const format = code === 406;
  return {
    title: format
      ? '406: the server does not speak the format that was asked for'
      : `${code}: the server does not take these parameters`,
    text: [
      `HTTP ${code}${answer.status?.reason ? ` ${quote(answer.status.reason, 40)}` : ''}: ${sentence(message)}`,
      rv
        ? 'The resourceVersion is no number that this server knows; it has to come from a list or an event of the same API.'
        : format
          ? 'The request reached the server, which has none of the formats that Accept names (JSON): it will be refused again until that changes.'
          : 'The request reached the server and was refused for its parameters: it will be refused again until they change.',
    ],
    evidence: [
      ...causes.map((cause) => quote(cause, 150)),
      `request: ${quote(place.stream?.methodPath ?? place.list?.methodPath ?? '', 150)}`,
    ],
    ruledOut: ['the connection and the credential (the request was read)'],
    next: [
      ...(format ? ['-H "Accept: …": a format that the message names'] : []),
      rv ? 'resourceVersion: list again and use the RV of the list' : parameterStep(answer.message),
      `kubectl get --raw '${quote(place.target.path, 120)}?watch=1': the same with fewer parameters`,
    ],
    who: `the apiserver, HTTP ${code}`,
    why: message ? quote(answer.message, 150) : `HTTP ${code}`,
    do: 'correct the request',
  };
}

/** Which parameter a message names. */
function parameterStep(message: string): string {
  const names = [
    'resourceVersionMatch',
    'sendInitialEvents',
    'resourceVersion',
    'labelSelector',
    'fieldSelector',
    'timeoutSeconds',
    'limit',
    'continue',
  ];
  const named = names.find((name) => message.includes(name));
  if (named === 'sendInitialEvents')
    return 'sendInitialEvents: leave it out (LIST, then watch), or the feature gate WatchList of the apiserver';
  if (named) return `${named}: leave it out or correct it`;
  if (/selector|requirement|field label|expected: identifier/i.test(message))
    return 'labelSelector, fieldSelector: correct the selector';
  return 'query parameters: compare them with the message';
}
