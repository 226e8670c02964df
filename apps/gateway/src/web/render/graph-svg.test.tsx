import { expect, it } from 'vitest';
import { graphColumns, GraphSvg, layOutGraph } from './graph.tsx';

const rows = layOutGraph([
  { id: 'c', parents: ['b', 'a'] },
  { id: 'b', parents: ['a'] },
  { id: 'a', parents: [] },
]);

it('draws the lines from above, the lines to the next row and the changeset', () => {
  const columns = graphColumns(rows);
  const html = String(
    <GraphSvg row={rows[1] ?? { column: 9, colour: 0, edges: [] }} previous={rows[0]} columns={columns} />,
  );
  expect(html).toBe(
    '<svg class="graph" width="28" height="100%" aria-hidden="true" focusable="false">' +
      '<line class="graph-0" x1="7" y1="0" x2="7" y2="50%"></line>' +
      '<line class="graph-1" x1="21" y1="0" x2="21" y2="50%"></line>' +
      '<line class="graph-1" x1="21" y1="50%" x2="21" y2="100%"></line>' +
      '<line class="graph-1" x1="7" y1="50%" x2="21" y2="100%"></line>' +
      '<circle class="graph-0" cx="7" cy="50%" r="4"></circle></svg>',
  );
});

it('draws nothing above the first row, and a page without rows is one column wide', () => {
  const html = String(<GraphSvg row={{ column: 0, colour: 3, edges: [] }} columns={graphColumns([])} />);
  expect(html).toContain('width="14"');
  expect(html).not.toContain('<line');
});
