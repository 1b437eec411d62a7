import { type Endpoint, type EndpointOptions, resolveEndpoint } from './endpoint.ts';
import { parseServer } from './server-url.ts';

/**
 * A second path to the same cluster, with the same proof of who we are. Credentials of a kubeconfig go along over https only, and never
 * over plain http, not even to a loopback address: what listens there (kubectl proxy) has its own. `flags`: those that named the
 * first endpoint; a token or a header typed there is held to the rules of `-s`. Throws a UsageError of one line.
 */
export async function viaEndpoint(direct: Endpoint, url: string, flags: EndpointOptions): Promise<Endpoint> {
  const server = parseServer(url, '--via');
  const typed = { ...flags, server: url };
  if (flags.server !== undefined || server.scheme === 'http') return renamed(await resolveEndpoint(typed));
  const { ca, cert, key, rejectUnauthorized } = direct.tls;
  return {
    ...direct,
    ...server,
    // The first endpoint's own name is not this one's, unless somebody typed one.
    tls: {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
      ...(flags.tlsServerName === undefined ? {} : { servername: flags.tlsServerName }),
    },
    title: server.host,
    warnings: [],
  };
}

function renamed(endpoint: Endpoint): Endpoint {
  return { ...endpoint, warnings: (endpoint.warnings ?? []).map((warning) => `--via: ${warning}`) };
}
