import type { IncomingMessage } from 'node:http';

/** The URL and the hosts under which clients reach the service. */
export interface Origin {
  /** Hosts of the pages, besides the host that a request names. */
  readonly hosts: readonly string[];
  /** Returns the URL of the service, without a trailing slash. */
  baseUrl(incoming: IncomingMessage): string;
}

const hostForm = /^[\w.-]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i;

/** Creates the origin from the configured URL or, when that is empty, from the Host header of each request. */
export function createOrigin(configured: string, isSecure: (incoming: IncomingMessage) => boolean): Origin {
  // The look-behind lets a run of slashes match at its beginning only, which takes linear time.
  const fixed = configured.replace(/(?<!\/)\/+$/, '');
  return {
    hosts: fixed === '' ? [] : [new URL(fixed).host],
    baseUrl(incoming) {
      if (fixed !== '') return fixed;
      const { host = '' } = incoming.headers;
      return `${isSecure(incoming) ? 'https' : 'http'}://${hostForm.test(host) ? host : 'localhost'}`;
    },
  };
}
