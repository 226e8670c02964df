import { describe, expect, it } from 'vitest';
import { escaped, textElement } from './markup.ts';

describe('escaped', () => {
  it('A7 replaces characters that XML excludes', () => {
    expect(escaped('a\0b\x1fc\ud800d\udc00e\ufffef\uffffg')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\ufffdg');
    expect(escaped('\t\n\x7f\x85\u{1f600}\u{1fffe}')).toBe('\t\n\x7f\x85\u{1f600}\u{1fffe}');
  });

  it('escapes all markup', () => {
    expect(textElement('x', `<a href="b" id='c'>&amp;\r]]>`)).toBe(
      '<x>&lt;a href=&quot;b&quot; id=&#39;c&#39;&gt;&amp;amp;&#13;]]&gt;</x>',
    );
  });
});
