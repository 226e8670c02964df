import { describe, expect, it } from 'vitest';
import { keyPages } from './page-names.ts';

describe('keyPages', () => {
  it('enables the feeds and nothing else by default', () => {
    const enabled = keyPages([]);
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
    expect(keyPages([entry])('FilesController:raw')).toBe(false),
  );

  it('B14 an entry enables the page of its name', () => {
    expect(keyPages(['FilesController:raw'])('FilesController:raw')).toBe(true);
  });
});
