import { isDecimalRv, type ResourceVersion } from '../protocol/resource-version.ts';
import { type Answer, listRv, refusalOf } from './ask.ts';
import type { Said } from './check.ts';

/** The resource itself: where it cannot be listed there is nothing else to ask. */
export function listable(answer: Answer): { said: Said; newest?: ResourceVersion } {
  const { head } = answer;
  if (head?.status !== 200) return { said: refused(answer) };
  const newest = listRv(answer);
  if (newest === undefined) return { said: noList(answer) };
  if (!isDecimalRv(newest)) {
    return {
      said: {
        result: 'warn',
        answer: `it can, but its resourceVersion is no number: ${newest.slice(0, 60)}`,
        detail: 'Such RVs have no order: nobody can tell which of two is newer, and neither can this probe.',
        facts: { rv: newest.slice(0, 200), comparable: false },
      },
      newest,
    };
  }
  return { said: { result: 'pass', answer: `RV ${newest}`, facts: { rv: newest, comparable: true } }, newest };
}

function refused(answer: Answer): Said {
  const { head, end } = answer;
  const next = head ? REMEDY[head.status] : end === 'tls' ? TLS_REMEDY : 'is it the right address, and does it listen?';
  return {
    result: 'fail',
    answer: refusalOf(answer),
    ...(next === undefined ? {} : { next }),
    facts: head ? { http_status: head.status } : { end },
  };
}

function noList({ head, document }: Answer): Said {
  const type = head?.headers['content-type'] ?? 'no content type';
  const what = document ? 'a document that is no list' : type.slice(0, 80);
  return {
    result: 'fail',
    answer: `HTTP 200, but no list with a resourceVersion: ${what}`,
    detail: 'Something answers in the place of an apiserver: a login page, a portal, another program.',
    next: 'kubectl get --raw on this path, with the same server and credentials',
    facts: { http_status: 200 },
  };
}

const TLS_REMEDY = '--certificate-authority FILE, --tls-server-name NAME, or a kubeconfig that has both';
const REMEDY: Partial<Record<number, string>> = {
  401: 'a valid token (--token), or the right user of the kubeconfig (--context)',
  403: 'a Role with verbs ["list", "watch"] for it, or -n with a namespace where you have one',
  404: 'kubectl api-resources shows names and groups: deployments.apps, widgets.v1.example.com',
  429: 'later: the server asks to be left alone',
};
