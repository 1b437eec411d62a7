/** Headers of one request. Names in lower case, so that of two spellings of one name only one is sent. */
export function requestHeaders(parts: {
  accept: string;
  userAgent: string;
  authorization: string | undefined;
  /** `-H`: they take the place of ours. */
  extra: Record<string, string> | undefined;
}): Record<string, string> {
  const { accept, userAgent, authorization, extra = {} } = parts;
  return {
    accept,
    'user-agent': userAgent,
    ...(authorization === undefined ? {} : { authorization }),
    ...Object.fromEntries(Object.entries(extra).map(([name, value]) => [name.toLowerCase(), value])),
  };
}
