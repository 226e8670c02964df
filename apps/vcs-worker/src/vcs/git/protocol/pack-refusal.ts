import { diskFailure } from '../../disk-failure.ts';
import { PushRefusedError, PushTooLargeError } from '../../push.ts';
import { VcsError } from '../../vcs-error.ts';

const fault = /\berror: object ([0-9a-f]{40}): ([A-Za-z]+): /;

/** Returns the client's text for a failure of the command that stores a pack; null for one that is not the pack's. */
function textOf(error: VcsError): string | null {
  if (error.kind === 'busy') return 'the service is busy, push again later';
  if (error.kind === 'timeout') return 'the push took too long';
  if (error.kind === 'too-large') return 'an object of the push is too large';
  if (error.kind !== 'failed') return null;
  const onDisk = diskFailure(error.message);
  if (onDisk === 'storage-full') return 'the storage is full';
  if (onDisk === 'storage-read-only') return 'the storage is read-only';
  const [, id, kind] = fault.exec(error.message) ?? [];
  if (id !== undefined) return `the object ${id} is not accepted (${kind})`;
  if (error.message.includes('did not receive expected object')) return 'the push lacks objects';
  return 'the pack is damaged or incomplete';
}

/** Converts an error of the command that stores a pack to the refusal of the push; returns any other unchanged. */
export function packRefusal(error: unknown, bytesMax: number): unknown {
  if (!(error instanceof VcsError)) return error;
  if (error.message.includes('pack exceeds maximum allowed size')) {
    return new PushTooLargeError(bytesMax, { cause: error });
  }
  const text = textOf(error);
  return text === null ? error : new PushRefusedError(text, { cause: error });
}
