/** Where the API answers, below the base URL (spec 4.1). */
export const rpcPath = '/_admin/api';

/** The members of a request in the order in which missing ones are reported. */
export const requestMembers = ['api_key', 'id', 'method', 'args'] as const;

/** A reply as clients parse it; on the wire the id is the client's own bytes. */
export interface ReplyEnvelope {
  readonly id: unknown;
  readonly result: unknown;
  readonly error: string | null;
}
