import { UnavailableError } from '@trunkline/contracts';

/** Returns the refusal of a replayed command. A known id means a replay, since gateways give every call a new id. */
export function repeatedCommand(): UnavailableError {
  return new UnavailableError({ cause: new Error('the command was already run: it was replayed on the bus') });
}
