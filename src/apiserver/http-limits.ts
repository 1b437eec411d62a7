/** Upstream's idle timeout of a connection, ms (secure_serving.go Serve: IdleTimeout 90 s). */
export const IDLE_TIMEOUT_MS = 90_000;

/** Request line and headers together, bytes: 1 MiB, and the 4 KiB that Go's reader adds (secure_serving.go MaxHeaderBytes). */
export const MAX_HEADER_BYTES = (1 << 20) + 4096;

/** Time for the TLS handshake, and again for a whole request head, ms (secure_serving.go ReadHeaderTimeout 32 s). */
export const HEADER_TIMEOUT_MS = 32_000;

/** How often connections are looked through for one that is too slow with its head, ms. */
const CHECK_EVERY_MS = 2_000;

/** Connections at a time; a lab with thousands of watchers stays below, a runaway client does not. */
export const MAX_CONNECTIONS = 20_000;

/** Requests that a client may send ahead of their answers; what is more stays with the kernel (Go reads none ahead). */
export const MAX_REQUESTS_AHEAD = 32;

export const HTTP1_LIMITS = {
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  headersTimeout: HEADER_TIMEOUT_MS,
  connectionsCheckingInterval: CHECK_EVERY_MS,
  maxHeaderSize: MAX_HEADER_BYTES,
  // The front looks at Host itself: Go's answers are other ones.
  requireHostHeader: false,
} as const;

/**
 * What upstream tells an HTTP/2 client (secure_serving.go: 100 streams, 256 KiB for a frame and for what a stream may send ahead;
 * the list of headers as golang.org/x/net makes it of 1 MiB), and what one connection may cost us. nghttp2 bounds the rest: resets,
 * pings, settings, CONTINUATION frames (at most 8), 64 KiB for one header.
 */
export const HTTP2_LIMITS = {
  settings: {
    maxConcurrentStreams: 100,
    initialWindowSize: 1 << 18,
    maxFrameSize: 1 << 18,
    maxHeaderListSize: (1 << 20) + 320,
  },
  // Headers of one request, as many as node:http takes of HTTP/1.
  maxHeaderListPairs: 2_000,
  // MB that one connection may hold; 100 slow watches of large objects need more than Node's 10.
  maxSessionMemory: 64,
  // Invalid frames and refused streams after which a connection is given up.
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
} as const;
