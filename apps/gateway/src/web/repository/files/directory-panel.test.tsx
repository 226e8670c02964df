import { describe, expect, it } from 'vitest';
import { DirectoryPanel } from './directory-panel.tsx';
import type { FilesPage } from './read-files-page.ts';

const listed = (digit: string, message: string) => ({
  short_id: digit.repeat(12),
  raw_id: digit.repeat(40),
  message,
  author: 'Ann <ann@example.com>',
  date: '2026-01-31T12:00:00',
});
const changeset = { ...listed('a', 'The newest\n\nof all'), revision: 6, parents: [], branch: null };
const entry = (name: string) => ({ name, kind: 'file' as const, size: 1 });

function shown(changes: FilesPage['changes'], { path = '', count = 2, page = 1 } = {}): string {
  const location = { repository: 'group/first', revision: 'tip', path };
  const entries = Array.from({ length: count }, (_, number) => entry(`file ${number}`));
  return String(<DirectoryPanel location={location} shown={{ changeset, entries }} changes={changes} page={page} />);
}

const changes = { newest: listed('b', 'change <b>'), changesets: [listed('c', 'add it')], entries: [0, null] };
const changeCells = (text: string) => [...text.matchAll(/<td class="change">(.*?)<\/td>/g)].map(([, cell]) => cell);

describe('a directory', () => {
  it('has a row for each entry, with the last change of those of which one is known', () => {
    const text = shown(changes);
    const href = `/group/first/changeset/${'c'.repeat(40)}`;
    expect(changeCells(text)).toEqual([`<a href="${href}">add it</a>`, '']);
    expect(text).not.toContain('class="hint"');
  });

  it('has its own last change above, and the root that of the revision', () => {
    const head = (text: string) => /<header class="last-change">(.*?)<\/header>/s.exec(text)?.[1] ?? '';
    expect(head(shown(changes, { path: 'src' }))).toMatch(
      />Ann<.*>change &lt;b&gt;<.*\/changelog\/tip\/src">History</s,
    );
    expect(head(shown(changes))).toMatch(/>The newest<.*href="\/group\/first\/changelog\/tip">History</s);
    expect(head(shown(null, { path: 'src' }))).toContain('>The newest<');
  });

  it('says that last changes are still being read, unless the worker tells none at all', () => {
    for (const [given, isSaid] of [
      [null, true],
      [undefined, false],
    ] as const) {
      const text = shown(given);
      expect(changeCells(text)).toEqual(['', '']);
      expect(text.includes('The last changes are still being read')).toBe(isSaid);
    }
  });

  it('is shown in pages, whose first one stands for those that do not exist', () => {
    const names = (page: number) => shown(changes, { count: 1_002, page }).match(/>file \d+</g) ?? [];
    expect([1, 2, 3].map((page) => names(page).length)).toEqual([1_000, 2, 1_000]);
    expect(names(2)).toEqual(['>file 1000<', '>file 1001<']);
  });
});
