import type { Writable } from 'node:stream';
import { manifestName } from './manifest.ts';
import type { BackupSink } from './sink.ts';

const blockBytes = 512;

/** Makes the header of a file in the format ustar; names of a backup are shorter than the 100 bytes that it has for one. */
export function tarHeader(name: string, bytes: number): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  if (Buffer.byteLength(name) >= 100) throw new Error(`the name ${name} is too long for tar`);
  header.write(name, 0);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes, 12), 124);
  header.write(octal(0, 12), 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** Writes a backup as a tar archive, whose last file is the manifest: `tar -x` makes the directory of it. */
export function openTarSink(output: Writable): BackupSink {
  let writing: Promise<void> = Promise.resolve();
  const put = (content: Buffer) =>
    new Promise<void>((resolve, reject) => {
      output.write(content, (error) => (error ? reject(error) : resolve()));
    });
  const add = async (name: string, content: Buffer) => {
    const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
    await put(Buffer.concat([tarHeader(name, content.length), content, padding]));
  };
  return {
    // One file after the other, also when several are written at once.
    write: (name, content) => (writing = writing.then(() => add(name, content))),
    async finish(manifest) {
      await writing;
      await add(manifestName, manifest);
      await put(Buffer.alloc(2 * blockBytes));
    },
  };
}
