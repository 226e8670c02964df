import type { ByteService } from '../../byte-service.ts';
import type { Call } from './call.ts';

/** Returns the part of the worker that reaches bytes. Lanes whose methods need it are served by workers that have it. */
export function requireBytes({
  environment: { bytes },
}: Pick<Call, 'environment'>): Pick<ByteService, 'tools' | 'engine'> {
  if (!bytes) throw new Error('this worker serves the lane metadata alone');
  return bytes;
}
