/** A part of a bundle for Mercurial: one whose name is in capital letters has to be understood. */
export interface BundlePart {
  readonly name: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly data?: Buffer;
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function encodePart({ name, params = {}, data = Buffer.alloc(0) }: BundlePart): Buffer {
  const pairs = Object.entries(params).map(([key, value]) => [Buffer.from(key), Buffer.from(value)] as const);
  const head = Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.alloc(4),
    Buffer.from([pairs.length, 0, ...pairs.flatMap(([key, value]) => [key.length, value.length])]),
    ...pairs.flat(),
  ]);
  return Buffer.concat([withLength(head), ...(data.length > 0 ? [withLength(data)] : []), Buffer.alloc(4)]);
}

/** Returns a bundle with these parts, whose sender understands all errors. */
export function bundleOf(...parts: readonly BundlePart[]): Buffer {
  const caps = Buffer.from('error=abort%2Cunsupportedcontent%2Cpushraced%2Cpushkey');
  const encoded = [{ name: 'replycaps', data: caps }, ...parts].map(encodePart);
  return Buffer.concat([Buffer.from('HG20\0\0\0\0', 'latin1'), ...encoded, Buffer.alloc(4)]);
}

/** Returns the part that sets a bookmark, or removes it. */
export function bookmarkPart(name: string, id: string | null): BundlePart {
  const bytes = Buffer.from(name, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  const node = id === null ? Buffer.alloc(20, 0xff) : Buffer.from(id, 'hex');
  return { name: 'BOOKMARKS', data: Buffer.concat([node, length, bytes]) };
}
