import { randomInt } from 'node:crypto';
import { NetworkError } from './client-error.ts';
import { failureReason } from './failure-reason.ts';
import { post } from './post.ts';
import { readReply, type Reply } from './read-reply.ts';

interface Call {
  readonly apikey: string;
  readonly method: string;
  readonly args: Readonly<Record<string, string>>;
}

const silenceMsMax = 2 * 3_600_000;

/** Sends one call and returns the service's reply; throws NetworkError when no valid reply arrives. */
export async function callService(endpoint: URL, { apikey, method, args }: Call): Promise<Reply> {
  const id = randomInt(1, 9_999);
  const body = JSON.stringify({ id, api_key: apikey, method, args });
  const answer = await post(endpoint, body, silenceMsMax).catch((error: unknown) => {
    throw new NetworkError(`Could not call ${endpoint.origin}: ${failureReason(error)}`);
  });
  const reply = readReply(answer.body, id);
  if (reply) return reply;
  throw new NetworkError(`The response of ${endpoint.origin} (HTTP ${answer.status}) is not a reply to this call`);
}
