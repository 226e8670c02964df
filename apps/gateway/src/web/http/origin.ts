import type { IncomingMessage } from 'node:http';

/** The URL of the service as clients see it. */
export interface Origin {
  /** Hosts beside that of the request under which pages are reached. */
  readonly hosts: readonly string[];
  /** Without a slash at its end. */
  baseUrl(incoming: IncomingMessage): string;
}

const hostForm = /^[\w.-]+(:\d+)?$|^\[[0-9a-f:.]+\](:\d+)?$/i;

/** The configured URL, or else the host that the request names. */
export function createOrigin(configured: string, isSecure: (incoming: IncomingMessage) => boolean): Origin {
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
