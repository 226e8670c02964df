import { describe, expect, it } from 'vitest';
import { renderNotebook } from './render-notebook.ts';

const base = { directory: 'notes', linkBase: '/r/files/tip/', rawBase: '/r/raw/tip/' };

function render(cells: readonly object[], metadata: object = {}): string {
  return renderNotebook(JSON.stringify({ nbformat: 4, metadata, cells }), base) ?? 'none';
}

const code = (outputs: readonly object[], source: unknown = 'x = 1') =>
  render([{ cell_type: 'code', source, outputs }]);

describe('renderNotebook', () => {
  it('shows cells of Markdown rendered, with the links of the file, and code in the colours of its language', () => {
    const html = render(
      [
        { cell_type: 'markdown', source: ['# Title\n', '[x](y.md) ![p](p.png)'] },
        { cell_type: 'code', execution_count: 3, source: ['def f():\n', '  pass'], outputs: [] },
        { cell_type: 'raw', source: '<b>' },
      ],
      { language_info: { name: 'python' } },
    );
    expect(html).toContain('<h1 id="doc-title">Title<');
    expect(html).toContain('href="/r/files/tip/notes/y.md"');
    expect(html).toContain('src="/r/raw/tip/notes/p.png"');
    expect(html).toContain('<p class="prompt">In [3]</p><pre class="code"><span class="hljs-keyword">def</span>');
    expect(html).toContain('<pre class="output">&lt;b&gt;</pre>');
  });

  it('shows outputs as text, without the colours of terminals and what was written over', () => {
    expect(code([{ output_type: 'stream', text: ['\u001b[1;31m10%\r90%\r\u001b[0m100%\r\n', 'done\n'] }])).toContain(
      '<pre class="output">100%\ndone\n</pre>',
    );
    const traceback = ['\u001b[0;31mError\u001b[0m: <no>', 'line 2'];
    expect(code([{ output_type: 'error', ename: 'E', evalue: 'v', traceback }])).toContain(
      '<pre class="output error">Error: &lt;no&gt;\nline 2</pre>',
    );
    const data = { 'text/html': '<script>alert(1)</script>', 'text/plain': ['   a\n', '0  1'] };
    const html = code([{ output_type: 'execute_result', data }]);
    expect(html).toContain('<pre class="output">   a\n0  1</pre>');
    expect(html).not.toContain('script');
  });

  it('shows HTML of outputs as that of documents, without what runs', () => {
    const table = '<table><tr><td onclick="x" style="y">1</td></tr></table><script>alert(1)</script>';
    const html = code([{ output_type: 'execute_result', data: { 'text/html': table, 'text/plain': 'p' } }]);
    expect(html).toMatch(/<table><tbody>?<tr><td>1<\/td><\/tr>|<table><tr><td>1<\/td><\/tr><\/table>/);
    expect(html).not.toMatch(/onclick|style|script/);
  });

  it('tells of images and of other outputs that it cannot show', () => {
    const data = { 'image/png': 'iVBORw0KGgoAAAANSUhEUgAA', 'text/plain': '<Figure>' };
    expect(code([{ output_type: 'display_data', data }])).toContain('Image output: PNG, 1 kB.');
    expect(code([{ output_type: 'display_data', data: { 'application/x': '1' } }])).toContain(
      '<p class="soft">Output that cannot be shown: application/x</p>',
    );
    expect(code([{ output_type: 'display_data', data: { '<img src=x>': 1 } }])).toContain('shown: &lt;img src=x&gt;');
  });

  it('reads notebooks of format 3', () => {
    const cells = [
      { cell_type: 'code', prompt_number: 1, input: 'y', outputs: [{ output_type: 'pyout', text: ['<2>'] }] },
    ];
    const html = renderNotebook(JSON.stringify({ nbformat: 3, worksheets: [{ cells }] }), base);
    expect(html).toContain('<p class="prompt">In [1]</p><pre class="code">y</pre><pre class="output">&lt;2&gt;</pre>');
  });

  it.each(['', 'no JSON', '[]', 'null', '{"cells":{}}', '{"worksheets":[null]}', '['.repeat(100_000)])(
    'is none for %j',
    (text) => {
      expect(renderNotebook(text, base)).toBeNull();
    },
  );

  it('survives members of any type', () => {
    const values = [null, 1, 'x', [], {}, [null], [[1]], { a: 1 }];
    const cells = values.flatMap((value) => [
      value,
      { cell_type: value, source: value },
      { cell_type: 'code', source: value, outputs: value, execution_count: value },
      { cell_type: 'code', outputs: [value, { output_type: 'error', traceback: value }, { data: value, text: value }] },
    ]);
    const html = renderNotebook(JSON.stringify({ metadata: null, cells }), base) ?? '';
    expect(html.match(/class="cell"/g)).toHaveLength(cells.length);
  });

  it('is bounded in cells, outputs and their length', () => {
    const many = Array.from({ length: 1_002 }, () => ({ cell_type: 'raw', source: 'x' }));
    expect(render(many)).toContain('Only the first 1000 of 1002 cells are shown.');
    const stream = { output_type: 'stream', text: 'y'.repeat(20_001) };
    expect(code([stream])).toContain(`${'y'.repeat(20_000)}…</pre>`);
    expect(code(Array.from({ length: 101 }, () => ({ ...stream, text: 'z' })))).toContain('Only the first 100 outputs');
    const large = Array.from({ length: 300 }, () => ({
      cell_type: 'code',
      outputs: [{ ...stream, text: '&'.repeat(20_000) }],
    }));
    expect(render(large)).toBe('none');
  });
});
