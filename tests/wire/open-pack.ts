import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

/** Asks for the pack of one commit with all that it reaches; resolves when the answer begins. */
export async function openPack(url: string, apiKey: string, id: string): Promise<IncomingMessage> {
  const want = `want ${id}\n`;
  const body = `0012command=fetch\n0001${(want.length + 4).toString(16).padStart(4, '0')}${want}0009done\n0000`;
  const headers = {
    Authorization: `Basic ${Buffer.from(`api-key:${apiKey}`).toString('base64')}`,
    'Content-Type': 'application/x-git-upload-pack-request',
    'Git-Protocol': 'version=2',
  };
  const sent = request(`${url}/git-upload-pack`, { method: 'POST', headers });
  sent.on('error', () => {}).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
