import type { ResultOfMethod, Served } from '@trunkline/contracts';
import { fileSize } from '../render/text/file-size.ts';

/** A line about the repositories of a user or a group. */
export function StoredSize({ size, of }: { size: ResultOfMethod<Served['view_stored_size']>; of: string }) {
  const { repositories, size_bytes: bytes, size_unknown: unknown } = size;
  const noun = repositories === 1 ? 'repository' : 'repositories';
  return (
    <p>
      {of}: {repositories} {noun}, {fileSize(bytes)} on the disk
      {unknown > 0 && `, without ${unknown} of unknown size`}.
    </p>
  );
}
