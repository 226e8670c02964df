import { createSecureContext } from 'node:tls';
import { expect, it } from 'vitest';
import { collectBytes } from '../../collect-bytes.ts';
import { certificate, certificateKey } from '../testing/certificate.ts';
import { serve } from '../testing/serve.ts';
import { startEgressGuard } from './egress-guard.ts';
import { requestThrough } from './request-through.ts';

const remoteHost = '127.0.0.2';
const bytesMax = 1024 * 1024;

it('D8 the bytes of an answer over https count, and the connection is ended beyond the limit', async () => {
  const answer = Buffer.alloc(32 * bytesMax, '0');
  const remote = await serve((_request, response) => response.end(answer), remoteHost, {
    cert: certificate,
    key: certificateKey,
  });
  const egress = await startEgressGuard({ allowedRemotes: [remoteHost] });
  try {
    const session = egress.open({ bytesMax });
    const trust = () => createSecureContext({ ca: certificate });
    const sent = { method: 'GET', headers: {}, body: Buffer.alloc(0), trust };
    const received = await requestThrough(session, new URL(`${remote.url}/x`), sent);
    const outcome = await collectBytes(received).then(
      () => 'whole',
      () => 'cut off',
    );
    expect(outcome).toBe('cut off');
    expect(session.failure).toBe('too large');
    expect(session.bytesReceived).toBeLessThan(4 * bytesMax);
  } finally {
    await egress.close();
    await remote.close();
  }
});

it('asks for the trusted authorities for https alone', async () => {
  const remote = await serve((_request, response) => response.end('plain'), remoteHost);
  const egress = await startEgressGuard({ allowedRemotes: [remoteHost] });
  try {
    const sent = { method: 'GET', headers: {}, body: Buffer.alloc(0), trust: () => expect.fail('asked') };
    const received = await requestThrough(egress.open({ bytesMax }), new URL(remote.url), sent);
    expect((await collectBytes(received)).toString()).toBe('plain');
  } finally {
    await egress.close();
    await remote.close();
  }
});
