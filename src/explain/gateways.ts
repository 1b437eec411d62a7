/** A proxy, load balancer or page that names itself, and what its answers mean. */
export interface Gateway {
  /** As it is called in a sentence. */
  name: string;
  sign: RegExp;
  /** What its codes and texts mean, and its clocks (facts/client §6; vendors' pages). */
  means: string;
  next: string;
}

/** Ordered: one that wraps another's page comes first. Only what a page or a header says of itself, never a duration. */
export const GATEWAYS: readonly Gateway[] = [
  {
    name: 'Cloudflare',
    sign: /^server: cloudflare|\bcf-ray\b|\| 52\d: |\bCloudflare\b|^error code: (?:5[0-3]|10[0-3])\d\s*$|cf-code-label/im,
    means:
      '520: the origin sent something it does not understand; 521: the origin refused the connection; 522 and 523: it could not be reached; 524: no headers came within 100 or 120 s; 525 and 526: TLS to the origin failed; 1033: no cloudflared is connected to its tunnel; 1016: it has no address of the origin; 1015, 1020: its own limit or rule said no.',
    next: 'Cloudflare: leave the API host out of the proxy (DNS only), a watch is no web page',
  },
  {
    name: 'Akamai',
    sign: /^server: akamaighost|\bedgesuite\.net\b|\bReference #\d{1,3}\.[0-9a-f]{6,16}\.\d{9,11}\./im,
    means: '403: a rule of it said no (the reference finds it in its log); 503 and 504: the origin did not answer.',
    next: 'Akamai: leave the API host out of it, a watch is no web page',
  },
  {
    name: 'Squid',
    sign: /^x-squid-error|^server: squid|The requested URL could not be retrieved/im,
    means: 'Squid is a forward proxy: requests to the API go through it, and it could not reach the address.',
    next: 'NO_PROXY: add the API host and the range of service addresses',
  },
  {
    name: 'Zscaler',
    sign: /zscaler/i,
    means: 'A filter of the company’s network answers in place of the address that was asked for.',
    next: 'have the API host exempted from the filter, or go round it (NO_PROXY)',
  },
  {
    name: 'the AWS load balancer (awselb)',
    sign: /awselb\/\d/,
    means:
      '503: no healthy target; 502: the target refused or broke off; 504: the idle timeout (60 s unless changed) or no connection.',
    next: 'target health, and the idle timeout of the load balancer (60 s by default): a quiet watch needs more',
  },
  {
    name: 'AWS API Gateway',
    sign: /^x-amz-apigw-id|^x-amzn-errortype|"Endpoint request timed out"/im,
    means: 'API Gateway ends a request after 29 s by default: no watch can live behind it.',
    next: 'reach the apiserver without API Gateway',
  },
  {
    name: 'CloudFront',
    sign: /\bcloudfront\b/i,
    means:
      '502: no connection or TLS to the origin; 504: the origin did not answer within its timeout (30 s by default).',
    next: 'reach the apiserver without CloudFront',
  },
  {
    name: 'the Azure Application Gateway',
    sign: /Microsoft-Azure-Application-Gateway/,
    means: '502: no healthy backend, or none that answers within its request timeout (20 s by default).',
    next: 'Application Gateway: backend health and request timeout',
  },
  {
    name: 'Azure Front Door',
    sign: /^x-azure-ref|Our services aren't available right now/im,
    means: 'It found no origin that answers, or the origin’s response timeout was over.',
    next: 'Azure Front Door: origin health and response timeout',
  },
  {
    name: 'a Google load balancer',
    sign: /The server encountered a temporary error and could not complete your request|Server Error\)!!1|^via: 1\.1 google|loadbalancing\.type\.LoadBalancerLogEntry/im,
    means:
      '502: no backend is healthy, or it broke off; 504 and 408: the backend timeout (30 s by default) was over, which bounds the whole life of a stream and not only its silence.',
    next: 'timeoutSec of the backend service: larger than the longest watch (an hour)',
  },
  {
    name: 'the OpenShift router',
    sign: /Application is not available/,
    means:
      'No route or no ready pod belongs to this host name: it is the address of an application, the API is usually at api.CLUSTER:6443.',
    next: 'oc whoami --show-server: is it the host that was asked?',
  },
  {
    name: 'HAProxy',
    sign: /No server is available to handle this request|The server didn't respond in time|server returned an invalid or incomplete response|Your browser didn't send a complete request in time|^server: haproxy/im,
    means:
      '503: no server of the backend is up; 502: it broke off; 504: no headers within timeout server; 408: no request came within its timeout.',
    next: 'HAProxy: state of the backend, timeout server and timeout client (longer than the watches)',
  },
  {
    name: 'Envoy',
    sign: /^server: (?:istio-)?envoy|^x-envoy-|upstream connect error or disconnect\/reset before headers|^[ \t]*no healthy upstream|upstream request timeout|RBAC: access denied/im,
    means:
      'upstream connect error: what is behind it refused or broke off; no healthy upstream: no endpoint is left; upstream request timeout: the route timeout (15 s by default) was over, which bounds a watch too.',
    next: 'Envoy: endpoints of the cluster; route timeout 0 for watches',
  },
  {
    name: 'Apache httpd',
    sign: /^server: apache|<address>Apache/im,
    means:
      '502: its backend broke off; 503: it could not be reached, or is marked down (retry=60 s by default); 504: ProxyTimeout was over.',
    next: 'Apache: error_log at that time; ProxyTimeout, and flushpackets=on for watches',
  },
  {
    name: 'Varnish',
    sign: /^server: varnish|^x-varnish|Guru Meditation|Backend fetch failed/im,
    means:
      '503: the backend is sick, broke off, or a timeout (first_byte_timeout 60 s by default) was over. A cache has no business before an API.',
    next: 'take Varnish out of the way, or pipe the API’s requests',
  },
  {
    name: 'Kong',
    sign: /^server: kong|^via: kong|An invalid response was received from the upstream server|no Route matched with those values/im,
    means:
      '502: its upstream broke off; 503: name resolution or connection failed; 504: read_timeout (60 s by default) was over.',
    next: 'Kong: read_timeout of the service for the API, response buffering off',
  },
  {
    name: 'Linkerd’s proxy',
    sign: /^l5d-proxy-error/im,
    means: 'The header l5d-proxy-error names the reason; in fail-fast no endpoint has been ready for some seconds.',
    next: 'endpoints of the service behind it; skip Linkerd’s proxy for the apiserver (skip-outbound-ports)',
  },
  {
    name: 'an F5 BIG-IP (or its WAF)',
    sign: /The requested URL was rejected\. Please consult with your administrator|^server: BigIP/im,
    means: 'A policy of the web application firewall rejected the request; the support ID finds it in its log.',
    next: 'have the API host exempted from the policy; quote the support ID',
  },
  {
    name: 'ngrok',
    sign: /ngrok-error-code|ERR_NGROK_/i,
    means: 'The tunnel is not up, or its limits were reached.',
    next: 'is the ngrok agent running?',
  },
  {
    name: 'nginx',
    sign: /<center>(?:nginx|openresty)|^server: (?:nginx|openresty)/im,
    means:
      '502: its upstream refused or broke off; 503: none is left, or a limit; 504: nothing came within proxy_read_timeout (60 s by default).',
    next: 'nginx: error.log at that time; proxy_read_timeout, and proxy_buffering off for watches',
  },
  {
    name: 'an ingress controller’s default backend',
    sign: /default backend - 404/,
    means: 'No rule of the ingress fits this host and path, so that its fallback answers.',
    next: 'does the host name belong to the API, and does a rule of the ingress lead there?',
  },
  {
    name: 'a proxy (Traefik writes so)',
    sign: /^[ \t]*(?:no available server|Bad Gateway|Gateway Timeout|Service Unavailable)[ \t\r]*$/m,
    means:
      'The few words are the whole page: no server behind it is up (503), it could not be reached (502), or it did not answer in time (504).',
    next: 'the proxy’s log, and its timeouts for long requests',
  },
];

/** Which proxy signed the text. */
export function gatewayOf(text: string): Gateway | undefined {
  return GATEWAYS.find(({ sign }) => sign.test(text));
}
