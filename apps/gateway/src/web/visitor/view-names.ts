/** Views by the names under which operators know them (field usage: `<ControllerName>:<view_name>`). */
export type ViewName = `${string}:${string}`;

const alwaysEnabled: ReadonlySet<string> = new Set([
  'FeedController:rss',
  'FeedController:atom',
  'JournalController:journal_rss',
  'JournalController:journal_atom',
  'JournalController:public_journal_rss',
  'JournalController:public_journal_atom',
]);

/** Whether a view may be seen with an API key; names are compared exactly. */
export function keyViews(whitelist: readonly string[]): (view: ViewName) => boolean {
  const enabled = new Set([...alwaysEnabled, ...whitelist]);
  return (view) => enabled.has(view);
}
