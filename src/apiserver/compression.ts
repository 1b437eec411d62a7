import { gzip } from 'node:zlib';

/** Bodies up to this many bytes are sent as they are (responsewriters defaultGzipThresholdBytes, gate APIResponseCompression). */
export const GZIP_THRESHOLD_BYTES = 128 * 1024;

/** The fastest one, as upstream (responsewriters defaultGzipContentEncodingLevel). */
const LEVEL = 1;

/** Does the client take gzip? Upstream looks for the bare name among the encodings: `gzip;q=1` is none. */
export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  return String(acceptEncoding ?? '')
    .split(',')
    .some((encoding) => encoding.trim() === 'gzip');
}

/** Off the main thread: a list of 100 MB takes a second. */
export function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    gzip(bytes, { level: LEVEL }, (error, packed) => (error ? reject(error) : resolve(packed)));
  });
}
