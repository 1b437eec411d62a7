/** Where requests go, and what proves who we are. */
export interface Endpoint {
  scheme: 'http' | 'https';
  /** `host:port` as in a URL, for people and for RunFacts. */
  host: string;
  /** Path before every request's path, without a slash at the end; "" for none. */
  prefix: string;
  tls: EndpointTls;
  /** Value of the Authorization header for the next request; read anew each time where it comes from a file. */
  authorization(): Promise<string | undefined>;
  /** A 401 may mean that the credential was renewed on disk: true where there is something to read again. */
  renewable: boolean;
  /** `exp` of a bearer JWT, ms since the epoch. */
  tokenExpiresAt?: number;
  /** Of the context. */
  namespace?: string;
  /** Context's name, or the host. */
  title: string;
  /** True under `disable-compression`: then no Accept-Encoding at all is sent. */
  noEncodingHeader?: boolean;
}

export interface EndpointTls {
  /** PEM. */
  ca?: string;
  cert?: string;
  key?: string;
  servername?: string;
  /** False: any certificate will do. */
  rejectUnauthorized?: boolean;
}
