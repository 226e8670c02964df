import { describe, expect, it } from 'vitest';
import { keyViews } from './view-names.ts';

describe('keyViews', () => {
  it('enables the feeds and nothing else by default', () => {
    const enabled = keyViews([]);
    expect(enabled('FeedController:rss')).toBe(true);
    expect(enabled('JournalController:public_journal_atom')).toBe(true);
    expect(enabled('FilesController:raw')).toBe(false);
  });

  it.each([
    'FilesController:rawX',
    'FilesController:ra',
    'filescontroller:raw',
    'FilesController:*',
    'FilesController',
  ])('B14 an entry %s does not enable FilesController:raw', (entry) =>
    expect(keyViews([entry])('FilesController:raw')).toBe(false),
  );

  it('B14 an entry enables the view of its name', () => {
    expect(keyViews(['FilesController:raw'])('FilesController:raw')).toBe(true);
  });
});
