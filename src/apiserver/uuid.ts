import type { Random } from '../util/random.ts';

/** A version 4 UUID from the given source: uids and audit ids repeat with the seed. */
export function uuid(random: Random): string {
  const hex = () => Math.floor(random() * 16).toString(16);
  return 'xxxxxxxx-xxxx-4xxx-Nxxx-xxxxxxxxxxxx'.replace(/[xN]/g, (place) =>
    place === 'x' ? hex() : (8 + Math.floor(random() * 4)).toString(16),
  );
}

/** Letters of generated names: no vowels, so no words (apimachinery util/rand). */
const ALPHANUMS = 'bcdfghjklmnpqrstvwxz2456789';

/** The random end of a name that is made from `generateName`: five characters (apiserver storage/names). */
export function nameSuffix(random: Random): string {
  return Array.from({ length: 5 }, () => ALPHANUMS[Math.floor(random() * ALPHANUMS.length)]).join('');
}
