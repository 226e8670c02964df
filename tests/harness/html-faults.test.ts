import { describe, expect, it } from 'vitest';
import { htmlFaults } from './html-faults.ts';

const page = (body: string) => `<!doctype html><html lang="en"><body>${body}</body></html>`;

describe('htmlFaults', () => {
  it.each([
    '<p class="a b">text &lt;b&gt;</p><br><input type="text" disabled value="x"/>',
    '<svg viewBox="0 0 1 1" aria-hidden="true"><path d="M0 0"></path></svg>',
    '<a href="/x?y=1">x</a>',
    '<input value="&quot;&gt;&lt;img src=x onerror=alert(1)&gt;">',
  ])('reports nothing for %s', (body) => expect(htmlFaults(page(body))).toEqual([]));

  it.each([
    ['<p>x', 'closes what is not open'],
    ['<script>x</script>', 'a forbidden tag'],
    ['<img src="x" onerror="x()">', 'it might run'],
    ['<a href="javascript:x">x</a>', 'it might run'],
    ['a < b', 'no tag'],
    ['<p title="<">x</p>', 'no tag'],
    ['<p title=x>x</p>', 'no tag'],
  ])('reports the fault in %s', (body, fault) => expect(htmlFaults(page(body)).join()).toContain(fault));

  it('reports an element that is not closed', () => expect(htmlFaults('<p>')).toEqual(['still open: p']));
});
