/** Plays one case: see case-player.mjs. Only what the tests use. */
export interface PlayedRequest {
  virtual_ms: number;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  kind: 'watch' | 'list' | 'list-next' | 'get' | null;
  of: number;
  probe: string | null;
}

export interface Player {
  readonly port: number;
  readonly requests: PlayedRequest[];
  close(): Promise<void>;
}

export interface FaultCase {
  id: string;
  run_ms: number;
  request: {
    mode: 'watch' | 'list-watch';
    path: string;
    query?: Record<string, string>;
    also?: { path: string; query?: Record<string, string> }[];
  };
  client?: { backpressure_ms?: number };
  probes?: object;
}

export function play(theCase: FaultCase, options?: { speed?: number }): Promise<Player>;
