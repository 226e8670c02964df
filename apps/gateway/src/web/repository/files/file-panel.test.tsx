import { expect, it } from 'vitest';
import { colouredBytesMax } from '../../render/render-task.ts';
import { FilePanel } from './file-panel.tsx';

const location = { repository: 'tools/x', revision: 'tip', path: 'a.cpp' };

function shown(size: number): string {
  const file = { size, executable: false, symlink: false, binary: false, text: 'x\n' };
  const rendering = { kind: 'source', source: { html: 'x', lineCount: 1 } } as const;
  return String(<FilePanel location={location} permanent={location} file={file} rendering={rendering} />);
}

it('says of a file beyond 256 KB why it has no colours, and of no other file', () => {
  const note = 'This file is larger than 262 kB, so it is shown without colours.';
  expect(shown(colouredBytesMax + 1)).toContain(note);
  expect(shown(colouredBytesMax)).not.toContain('without colours');
});
