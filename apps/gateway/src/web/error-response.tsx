import type { IncomingMessage } from 'node:http';
import { AuthenticationError, BusyError, UnavailableError, type RpcError } from '@trunkline/contracts';
import { RateLimitedError } from '../authn/rate-limit.ts';
import { contentHeaders } from '../http/web-headers.ts';
import { FormRefusedError } from './form/sent-form.ts';
import { readNotice } from './http/notice.ts';
import { pathTo } from './http/path-segments.ts';
import { statusOf, type ErrorStatus } from './http/web-error.ts';
import { ApiText } from './layout/inline.tsx';
import { RepositoryFrame } from './layout/repository-frame.tsx';
import { pageResponse } from './layout/page.tsx';
import type { RepositoryPageError } from './repository/repository-page-error.ts';
import { sentKey, type PageName, type Visitor } from './identify.ts';

interface Asked {
  readonly pageName: PageName;
  readonly siteName: string;
  readonly visitor: Visitor | null;
  readonly incoming: IncomingMessage;
  readonly query: URLSearchParams;
  /** The error on a page of a repository that the visitor may read; null for any other error. */
  readonly repositoryError: RepositoryPageError | null;
}

const titles: Record<ErrorStatus, string> = {
  400: 'Bad request',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict',
  422: 'Failed',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Service unavailable',
  504: 'Outcome unknown',
};

interface ErrorProps {
  readonly title: string;
  readonly error: RpcError;
  readonly repositoryError: RepositoryPageError | null;
}

/** Renders the way back to the page whose form was refused. */
function FormAgain({ error }: { error: RpcError }) {
  if (!(error instanceof FormRefusedError) || error.page === null) return <></>;
  return (
    <p>
      <a href={error.page}>Open the page again</a>
    </p>
  );
}

function ErrorText({ title, error, repositoryError }: ErrorProps) {
  if (!repositoryError) {
    return (
      <div class="narrow">
        <h1>{title}</h1>
        <p>
          <ApiText text={error.message} />
        </p>
        <FormAgain error={error} />
      </div>
    );
  }
  const { visit, repository, note } = repositoryError;
  return (
    <RepositoryFrame visit={visit} repository={repository} tab={null}>
      <h2>{title}</h2>
      <p>
        <ApiText text={error.message} />
      </p>
      {note}
      <FormAgain error={error} />
      <p>
        <a href={pathTo(repository.repo_name)}>Back to the summary</a>
      </p>
    </RepositoryFrame>
  );
}

function errorPage(
  error: RpcError,
  { siteName, visitor, incoming, repositoryError }: Asked,
  status: ErrorStatus,
): Response {
  const title = titles[status];
  return pageResponse(
    {
      title: repositoryError ? `${title} · ${repositoryError.repository.repo_name}` : title,
      siteName,
      // The visitor's credentials were refused, so the header does not show the visitor as signed in.
      visitor: error instanceof AuthenticationError ? null : visitor,
      section: repositoryError && 'repositories',
      notice: readNotice(incoming.headers.cookie),
      children: <ErrorText title={title} error={error} repositoryError={repositoryError} />,
    },
    status,
  );
}

/** Renders an error as a response: plain text for a request with an API key, an HTML page for any other. */
export function errorResponse(error: RpcError, asked: Asked): Response {
  const status = statusOf(error);
  const { visitor, incoming, query, pageName } = asked;
  const isProgram = !visitor?.session && sentKey(incoming.headers, query, pageName) !== null;
  const response = isProgram
    ? new Response(`${error.message}\n`, {
        status,
        headers: { ...contentHeaders, 'Content-Type': 'text/plain; charset=utf-8' },
      })
    : errorPage(error, asked, status);
  if (error instanceof BusyError || error instanceof UnavailableError) {
    const seconds = error instanceof RateLimitedError ? error.retryAfterSeconds : 5;
    response.headers.set('Retry-After', String(seconds));
  }
  return response;
}
