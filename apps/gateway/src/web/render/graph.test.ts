import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layOutGraph, type GraphNode, type GraphRow } from './graph.tsx';

/** `c:b,a` is c with the parents b and a. */
function graph(...nodes: string[]): GraphNode[] {
  return nodes.map((node) => {
    const [id = '', parents = ''] = node.split(':');
    return { id, parents: parents.split(',').filter(Boolean) };
  });
}

/** Columns that can be reached from a row's own by the lines down to another row. */
function reachable(rows: readonly GraphRow[], from: number, to: number): Set<number> {
  let columns = new Set([rows[from]?.column]);
  for (const { edges } of rows.slice(from, to)) {
    const next = edges.filter(({ fromColumn }) => columns.has(fromColumn)).map(({ toColumn }) => toColumn);
    columns = new Set(next);
  }
  return new Set([...columns].filter((column) => column !== undefined));
}

/** Pages of changesets whose parents come later, or are not on the page. */
const pages = fc
  .array(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 4 }), { maxLength: 60 })
  .map((steps) =>
    steps.map((gaps, index) => ({ id: `${index}`, parents: [...new Set(gaps)].map((gap) => `${index + gap}`) })),
  );

describe('layOutGraph', () => {
  it('keeps a line without branches in one column', () => {
    expect(layOutGraph(graph('c:b', 'b:a', 'a'))).toEqual([
      { column: 0, colour: 0, edges: [{ fromColumn: 0, toColumn: 0, colour: 0 }] },
      { column: 0, colour: 0, edges: [{ fromColumn: 0, toColumn: 0, colour: 0 }] },
      { column: 0, colour: 0, edges: [] },
    ]);
  });

  it('opens a column for the second parent of a merge and closes it where both meet', () => {
    const rows = layOutGraph(graph('d:c,b', 'c:a', 'b:a', 'a'));
    expect(rows.map(({ column }) => column)).toEqual([0, 0, 1, 0]);
    expect(rows[0]?.edges).toEqual([
      { fromColumn: 0, toColumn: 0, colour: 0 },
      { fromColumn: 0, toColumn: 1, colour: 1 },
    ]);
    expect(rows[2]?.edges).toEqual([
      { fromColumn: 0, toColumn: 0, colour: 0 },
      { fromColumn: 1, toColumn: 0, colour: 0 },
    ]);
  });

  it('gives heads columns of their own and uses a free one again', () => {
    const rows = layOutGraph(graph('d:a', 'c:a', 'b', 'a'));
    expect(rows.map(({ column }) => column)).toEqual([0, 1, 1, 0]);
  });

  it('continues lines to parents that are not on the page', () => {
    const rows = layOutGraph(graph('b:x', 'a:y'));
    expect(rows[1]?.edges.map(({ toColumn }) => toColumn)).toEqual([0, 1]);
  });

  it('leads from every child to its parents', () => {
    fc.assert(
      fc.property(pages, (nodes) => {
        const rows = layOutGraph(nodes);
        for (const [from, { parents }] of nodes.entries()) {
          const shown = parents.map((parent) => nodes.findIndex(({ id }) => id === parent)).filter((to) => to !== -1);
          for (const to of shown) expect(reachable(rows, from, to)).toContain(rows[to]?.column);
        }
      }),
    );
  });

  it('starts no line in the air', () => {
    fc.assert(
      fc.property(pages, (nodes) => {
        const rows = layOutGraph(nodes);
        for (const [index, { column, edges }] of rows.entries()) {
          const above = rows[index - 1]?.edges.map(({ toColumn }) => toColumn) ?? [];
          for (const { fromColumn } of edges) expect([column, ...above]).toContain(fromColumn);
        }
      }),
    );
  });

  it('is the same every time and never wider than 12 columns and 8 colours', () => {
    fc.assert(
      fc.property(pages, (nodes) => {
        const rows = layOutGraph(nodes);
        expect(layOutGraph(nodes)).toEqual(rows);
        for (const { column, colour, edges } of rows) {
          expect(column).toBeLessThan(12);
          expect(colour).toBeLessThan(8);
          expect(edges.length).toBeLessThanOrEqual(12 + 12);
          for (const edge of edges) {
            expect(Math.max(edge.fromColumn, edge.toColumn)).toBeLessThan(12);
            expect(edge.colour).toBeLessThan(8);
          }
        }
      }),
    );
  });

  it('draws lines to the first 64 parents of a merge alone', () => {
    const merges = (parentCount: number) =>
      Array.from({ length: 100 }, (_, row) => ({
        id: `${row}`,
        parents: Array.from({ length: parentCount }, (__, index) => `${row} ${index}`),
      }));
    expect(layOutGraph(merges(10_000))).toEqual(layOutGraph(merges(64)));
  });
});
