import { ToolFailure } from '../../process/tool-failure.ts';
import { VcsError } from '../../vcs-error.ts';

/** A client has sent what is no request of git's protocol. */
export class MalformedRequestError extends VcsError {
  constructor(cause: VcsError) {
    super('failed', cause.message, { cause });
  }
}

/** What `upload-pack` says of a request alone; a damaged repository causes other texts. */
const complaints = [
  'protocol error: bad line length',
  "unknown capability '",
  "invalid command '",
  'no command requested',
  "command '",
  'mismatched object format',
  'expected flush after ',
  "unexpected line: '",
  'git upload-pack: protocol error, expected to get ',
  'git upload-pack: expected SHA1',
  'git upload-pack: ambiguous deepen-not',
  'git upload-pack: deepen and deepen-since',
  'git upload-pack: filtering capability not negotiated',
  'Invalid deepen',
  'invalid shallow line: ',
  'invalid filter-spec ',
  'the remote end hung up ',
];
const complaint = new RegExp(`(?:^|: )fatal: (?:${complaints.join('|')})`, 'm');

/** Returns the error of a request that git has found malformed without telling the client; any other error unchanged. */
export function malformedRequest(error: unknown): unknown {
  return error instanceof ToolFailure && complaint.test(error.message) ? new MalformedRequestError(error) : error;
}
