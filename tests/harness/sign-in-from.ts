import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

/** Signs in with the form of pages, from an address of the loopback network; returns the status: 302 when it succeeds. */
export async function signInFrom(
  baseUrl: string,
  address: string,
  login: { readonly username: string; readonly password: string },
): Promise<number> {
  const body = new URLSearchParams(login).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': body.length };
  const options = { method: 'POST', localAddress: address, agent: false, headers };
  const sent = request(new URL('/_admin/login', baseUrl), options).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  return answer.statusCode ?? 0;
}
