import { describe, expect, it } from 'vitest';
import { numberLines } from '../../render/plain-text.ts';
import { colouredBytesMax } from '../../render/render-task.ts';
import { FilePanel } from './file-panel.tsx';
import type { LineRange } from './marked-lines.ts';
import type { FileRendering, ShownFile } from './render-file.ts';

const location = { repository: 'tools/x', revision: 'tip', path: 'src/a.cpp' };
const permanent = { ...location, repository: '_7', revision: 'a'.repeat(40) };
const text = { size: 4, executable: false, symlink: false, binary: false, text: 'x\ny\n' };
const source = { html: numberLines(['x', 'y', 'z']), lineCount: 3, language: 'C++' };
const changeset = {
  short_id: 'a'.repeat(12),
  raw_id: 'a'.repeat(40),
  revision: 1,
  message: 'Begin <b>',
  author: 'Ann',
  date: '2026-01-01T00:00:00',
  parents: [],
  branch: null,
};

interface Given {
  readonly file?: Partial<ShownFile>;
  readonly rendering?: FileRendering;
  readonly range?: LineRange | null;
  readonly path?: string;
}

function shown({
  file = {},
  rendering = { kind: 'source', source, isChoice: false },
  range = null,
  path = location.path,
}: Given = {}) {
  const at = { location: { ...location, path }, permanent: { ...permanent, path } };
  return String(<FilePanel {...at} {...{ changeset, rendering, range }} file={{ ...text, ...file }} />);
}

it('says of a file beyond 256 KB why it has no colours, and of no other file', () => {
  const note = 'This file is larger than 262 kB, so it is shown without colours.';
  expect(shown({ file: { size: colouredBytesMax + 1 } })).toContain(note);
  expect(shown({ file: { size: colouredBytesMax } })).not.toContain('without colours');
});

it('tells size, lines, language and changeset of a file, and links all that there is of it', () => {
  const html = shown({ file: { executable: true } });
  expect(html).toContain('<span>4 B</span><span>3 lines</span><span>C++</span><span class="badge">executable</span>');
  expect(html).toContain('Begin &lt;b&gt;');
  for (const page of ['annotate', 'changelog', 'raw', 'rawfile']) {
    expect(html).toContain(`href="/tools/x/${page}/tip/src/a.cpp"`);
  }
  expect(html).toContain(`href="/_7/files/${'a'.repeat(40)}/src/a.cpp"`);
});

describe('lines that an address marks', () => {
  it('are marked, and kept in the permanent link', () => {
    const html = shown({ range: { first: 2, last: 3 } });
    expect(html.match(/class="line marked"/g)).toHaveLength(2);
    expect(html).toContain(`href="/_7/files/${'a'.repeat(40)}/src/a.cpp?lines=2-3#L2">Permanent link`);
    expect(html).not.toContain('Choose another number');
  });

  it('are the beginning of a range while there is one', () => {
    const html = shown({ range: { first: 2, last: 2 } });
    expect(html).toContain('<a href="?lines=2-3#L2">3</a>');
    expect(html).toContain('Line 2 is marked. Choose another number to mark the lines up to it.');
  });
});

it('tells width and height of an image, and the type of another binary file', () => {
  const image = { file: { binary: true, text: null, image: { width: 640, height: 480 } }, path: 'a.png' };
  expect(shown({ ...image, rendering: { kind: 'image' } })).toContain('<span>640 × 480</span>');
  const binary = { file: { binary: true, text: null }, rendering: { kind: 'binary' } } as const;
  expect(shown({ ...binary, path: 'a.pdf' })).toContain('This file is binary (application/pdf) and cannot');
  expect(shown({ ...binary, path: 'a' })).toContain('This file is binary and cannot');
  expect(shown({ ...binary, path: 'a' })).not.toContain('/annotate/');
});

it.each([
  ['../lib/b.h', '<a href="/tools/x/files/tip/lib/b.h"><code>../lib/b.h</code></a>'],
  ['../../etc/passwd', '<code>../../etc/passwd</code>, outside of this repository'],
  ['/etc/passwd', '<code>/etc/passwd</code>, outside of this repository'],
])('links a symbolic link to %s as far as that is in the repository', (target, html) => {
  expect(shown({ file: { symlink: true }, rendering: { kind: 'link', target } })).toContain(html);
});
