import { expect, it } from 'vitest';
import { presentRevision, RefPicker } from './ref-picker.tsx';

const choiceOf = (name: string) => ({ name, revision: `refs/heads/${name}` });

function shown(names: readonly string[], isComplete = true): string {
  return String(
    <RefPicker
      repository="g/r"
      chosen="refs/heads/b1"
      choices={{ groups: [{ label: 'Branches', choices: names.map(choiceOf) }], isComplete }}
      action="/g/r/files/b1/docs"
      kept={{ plain: '1' }}
      hrefOf={(revision) => `/g/r/files/${encodeURIComponent(revision)}/docs?plain=1`}
    />,
  );
}

it.each([
  ['refs/heads/a/b', 'branch', 'a/b'],
  ['branch:2', 'branch', '2'],
  ['refs/tags/v1', 'tag', 'v1'],
  ['tag:v1', 'tag', 'v1'],
  ['book:@', 'bookmark', '@'],
  ['0123456789abcdef0123456789abcdef01234567', 'changeset', '0123456789ab'],
  ['42', 'number', '42'],
  ['tip', 'revision', 'tip'],
  ['abcd', 'revision', 'abcd'],
])('%s is shown with its kind', (revision, kind, name) => {
  expect(presentRevision(revision)).toEqual({ kind, name });
});

it('keeps the path and the parameters in links and in the form, and marks the present one', () => {
  const text = shown(['b1', 'b2']);
  expect(text).toContain('<summary><span class="soft">branch</span> <bdi>b1</bdi></summary>');
  expect(text).toContain('<form method="get" action="/g/r/files/b1/docs">');
  expect(text).toContain('<input type="hidden" name="plain" value="1"/>');
  expect(text).toContain('<a href="/g/r/files/refs%2Fheads%2Fb1/docs?plain=1" aria-current="true">b1</a>');
  expect(text).toContain('<option value="refs/heads/b2">b2</option>');
  expect(text).not.toContain('This list is incomplete');
});

it('has links to the first of many, suggests the others, and says where all are', () => {
  const names = Array.from({ length: 30 }, (_, index) => `b${index}`);
  const text = shown(names);
  expect([text.match(/<li>/g)?.length, text.match(/<option /g)?.length]).toEqual([20, 30]);
  expect(text).toContain('See all <a href="/g/r/branches">branches</a>');
  expect(shown(['b1'], false)).toContain('This list is incomplete');
});

it('shows names visibly and escaped', () => {
  const text = shown(['<b>\u202E']);
  expect(text).toContain('>&lt;b&gt;\\u{202E}</a>');
  expect(text).not.toMatch(/<b>|>[^<]*\u202E/);
});
