import { KUBERNETES, KUBERNETES_BY_NAME } from './about-kubernetes.ts';
import { statedCodes } from './stated-codes.ts';

/** A 410 of Kubernetes whose own words are gone: a Status without a message, a code, or what a program makes of it. */
export function isBareGone(text: string): boolean {
  if (/"kind"\s*:\s*"Status"/.test(text) && /"code"\s*:\s*410\b/.test(text)) return true;
  if (/the server responded with the status code 410 but did not return more information/.test(text)) return true;
  if (
    /\bresource ?version (?:is )?too old\b|\btoo old resource version: \S|\bwatch\b.{0,60}\((?:possibl[ey] )?(?:410|Gone|410 Gone|Expired)\)/i.test(
      text,
    ) &&
    (KUBERNETES.test(text) || KUBERNETES_BY_NAME.test(text))
  )
    return true;
  // Clients that hide the Status behind its code.
  const codes = statedCodes(text);
  return (codes.http_status === '410' || codes.status_code === '410') && KUBERNETES.test(text);
}
