import type { BrowserContext, ConsoleMessage, Request } from 'playwright-core';

export interface PageWatch {
  /** What went wrong in the pages until now. */
  end(): Promise<readonly string[]>;
}

function isNavigation(request: Request): boolean {
  return request.isNavigationRequest() && request.frame().parentFrame() === null;
}

/** Notes errors, broken policies and requests to anywhere but `origin`, in all pages of a context. */
export function watchPages(context: BrowserContext, origin: string): PageWatch {
  const problems: string[] = [];
  const visited = new Set<string>();

  // That a page itself is refused (404, 403) is what its test looks at.
  const isRefusedPage = (message: ConsoleMessage) =>
    message.text().startsWith('Failed to load resource: the server responded with a status of') &&
    visited.has(message.location().url);

  context.on('request', (request) => {
    const url = request.url();
    if (isNavigation(request)) visited.add(url);
    if (/^(data|blob|about):/.test(url) || new URL(url).origin === origin) return;
    problems.push(`request to ${url}`);
  });
  // Broken policies are errors on the console, in pages without scripts, too.
  context.on('console', (message) => {
    if (message.type() === 'error' && !isRefusedPage(message)) problems.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`error: ${error.error().message}`));

  return {
    async end() {
      // What a page has said before it answers has arrived when the answer has.
      await Promise.allSettled(context.pages().map((page) => page.evaluate('0')));
      return problems;
    },
  };
}
