import {
  decodeWorkerRequest,
  mapSecretArgs,
  splitSignature,
  UnavailableError,
  type Method,
  type WorkerRequest,
} from '@trunkline/contracts';
import { isOneOf, type SecretVault } from '@trunkline/db';

/** The largest difference between a gateway's and a worker's clock. An earlier replay is detected by the audit log. */
const ageMsMax = 5 * 60_000;

function refused(why: string): UnavailableError {
  return new UnavailableError({ cause: new Error(why) });
}

/** Decodes a command of this instance's gateways; throws UnavailableError for anything else, and for an old command. */
export function decodeCommand(
  vault: Pick<SecretVault, 'hmacs' | 'open'>,
  operationOf: (method: string) => Method | undefined,
  command: Uint8Array,
  now = Date.now(),
): WorkerRequest {
  const { signature, body } = splitSignature(command);
  if (!isOneOf(signature, vault.hmacs('bus command', body)))
    throw refused('no gateway with our TRUNKLINE_SECRET has signed it');
  const request = decodeWorkerRequest(body);
  const ageSeconds = (now - request.sentAt) / 1_000;
  if (Math.abs(ageSeconds) * 1_000 > ageMsMax) {
    throw refused(`its gateway sent it ${ageSeconds} s ago: it is played again, or the clocks of the machines differ`);
  }
  const open = (value: unknown): unknown => JSON.parse(vault.open(Buffer.from(String(value), 'base64')));
  return { ...request, args: mapSecretArgs(operationOf(request.method)?.args ?? {}, request.args, open) };
}
