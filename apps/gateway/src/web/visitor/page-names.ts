/** The name of a page as operators know it: `view` in the log, the method in metrics, and what configuration lists. */
export type PageName = `${string}:${string}`;

const alwaysEnabled: ReadonlySet<string> = new Set([
  'FeedController:rss',
  'FeedController:atom',
  'JournalController:journal_rss',
  'JournalController:journal_atom',
  'JournalController:public_journal_rss',
  'JournalController:public_journal_atom',
]);

/**
 * Returns which pages may be opened with an API key: the feeds and the listed pages, whose names are compared exactly.
 */
export function keyPages(whitelist: readonly string[]): (page: PageName) => boolean {
  const enabled = new Set([...alwaysEnabled, ...whitelist]);
  return (page) => enabled.has(page);
}
