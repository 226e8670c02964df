/** Path of the JSON-RPC endpoint below the base URL (spec 4.1). */
export const rpcPath = '/_admin/api';

/** The members of a request, in the order in which missing members are reported. */
export const requestMembers = ['api_key', 'id', 'method', 'args'] as const;

/** A reply as clients parse it; on the wire, the id has the same bytes as in the request. */
export interface ReplyEnvelope {
  readonly id: unknown;
  readonly result: unknown;
  readonly error: string | null;
}
