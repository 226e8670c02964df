import type { IncomingMessage } from 'node:http';
import { AuthenticationError, BusyError, UnavailableError, type RpcError } from '@trunkline/contracts';
import { RateLimitedError } from '../authn/rate-limit.ts';
import { contentHeaders } from '../http/web-headers.ts';
import { readNotice } from './http/notice.ts';
import { statusOf, type ErrorStatus } from './http/web-error.ts';
import { pageResponse } from './layout/show-page.tsx';
import { sentKey } from './visitor/sent-key.ts';
import type { Visitor } from './visitor/visitor.ts';

interface Asked {
  readonly siteName: string;
  readonly visitor: Visitor | null;
  readonly incoming: IncomingMessage;
  readonly query: URLSearchParams;
}

const titles: Record<ErrorStatus, string> = {
  400: 'Not understood',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict',
  422: 'Failed',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Not available',
  504: 'Not known yet',
};

/** An error as a response: plain text for requests with a key, a page for all others. */
export function errorResponse(error: RpcError, { siteName, visitor, incoming, query }: Asked): Response {
  const status = statusOf(error);
  const isProgram = sentKey(incoming.headers, query) !== null;
  const response = isProgram
    ? new Response(`${error.message}\n`, {
        status,
        headers: { ...contentHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
      })
    : pageResponse(
        {
          title: titles[status],
          siteName,
          visitor: error instanceof AuthenticationError ? null : visitor,
          section: null,
          notice: readNotice(incoming.headers.cookie),
          children: (
            <div class="narrow">
              <h1>{titles[status]}</h1>
              <p>{error.message}</p>
            </div>
          ),
        },
        status,
      );
  if (error instanceof BusyError || error instanceof UnavailableError) {
    const seconds = error instanceof RateLimitedError ? error.retryAfterSeconds : 5;
    response.headers.set('Retry-After', String(seconds));
  }
  return response;
}
