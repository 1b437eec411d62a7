import { KUBERNETES } from './about-kubernetes.ts';

/** Log lines of proxies in front of an apiserver. Without one beside them they are some other service's. */
export const OF_API = {
  test: (text: string): boolean =>
    KUBERNETES.test(text) || /kube(?!rnetes)|k8s(?!\.io)|api-?servers?\b|\bmasters?\b/i.test(text),
};
/** What a cut on the way means for a client. */
export const RESUMES = 'A client that resumes from its last RV loses nothing.';
