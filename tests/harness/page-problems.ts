import type { BrowserContext, ConsoleMessage, Request } from 'playwright-core';

export interface PageWatch {
  /** Returns the problems of the pages so far. */
  end(): Promise<readonly string[]>;
}

function isNavigation(request: Request): boolean {
  return request.isNavigationRequest() && request.frame().parentFrame() === null;
}

/** Records errors, policy violations and requests to other origins than `origin`, in all pages of a context. */
export function watchPages(context: BrowserContext, origin: string): PageWatch {
  const problems: string[] = [];
  const visited = new Set<string>();

  // The test of a page checks itself whether the page is refused (404, 403).
  const isRefusedPage = (message: ConsoleMessage) =>
    message.text().startsWith('Failed to load resource: the server responded with a status of') &&
    visited.has(message.location().url);

  context.on('request', (request) => {
    const url = request.url();
    if (isNavigation(request)) visited.add(url);
    if (/^(data|blob|about):/.test(url) || new URL(url).origin === origin) return;
    problems.push(`request to ${url}`);
  });
  // Policy violations are errors on the console, in pages without scripts, too.
  context.on('console', (message) => {
    if (message.type() === 'error' && !isRefusedPage(message)) problems.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`error: ${error.error().message}`));

  return {
    async end() {
      // Messages that a page has sent before this answer arrive before the answer.
      await Promise.allSettled(context.pages().map((page) => page.evaluate('0')));
      return problems;
    },
  };
}
