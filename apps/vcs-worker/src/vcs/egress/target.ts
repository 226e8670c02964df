type EgressStatus = 400 | 403 | 407 | 502;

/** An error that becomes the proxy's answer. The message is sent unchanged, so it names neither host nor address. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly status: EgressStatus;

  constructor(status: EgressStatus, message: string) {
    super(message);
    this.status = status;
  }
}

const authorityPattern = /^(?:\[[0-9a-f:.]+\]|[^\s/?#@\\:[\]]+):\d{1,5}$/iu;

export interface Target {
  /** Host name, or IP address as the URL parser spells it, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Parses the target of a CONNECT request, `host:port`; throws EgressError 400 for anything else. */
export function parseAuthority(authority: string): Target {
  if (!authorityPattern.test(authority)) throw badTarget();
  return toTarget(parseHttpUrl(`http://${authority}/`));
}

/** Parses the target of a forwarded request, an absolute http:// URL; throws EgressError 400 for anything else. */
export function parseHttpUrl(text: string): URL {
  if (!/^http:\/\/[^/]/iu.test(text) || !URL.canParse(text)) throw badTarget();
  return new URL(text);
}

export function toTarget(url: URL): Target {
  return { host: url.hostname.replace(/^\[|\]$/gu, ''), port: url.port === '' ? defaultPort(url) : Number(url.port) };
}

function defaultPort(url: URL): number {
  return url.protocol === 'https:' ? 443 : 80;
}

function badTarget(): EgressError {
  return new EgressError(400, 'only http:// urls and CONNECT host:port are served');
}
