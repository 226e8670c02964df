import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const keepAliveMs = 30_000;

/**
 * Posts a body and returns the response; rejects after `silenceMsMax` milliseconds without traffic. Uses node:http,
 * since fetch times out when a response begins after more than five minutes, and a pull or an import may take an hour.
 * TCP keep-alive detects a peer that has gone.
 */
export function post(url: URL, body: string, silenceMsMax: number): Promise<HttpAnswer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      agent: false,
      timeout: silenceMsMax,
      headers: { 'Content-Type': 'text/plain', 'Content-Length': Buffer.byteLength(body) },
    });
    request.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs));
    request.on('timeout', () => request.destroy(new Error('no answer in time')));
    request.on('error', reject);
    request.on('response', (response) => {
      text(response).then((whole) => resolve({ status: response.statusCode ?? 0, body: whole }), reject);
    });
    request.end(body);
  });
}
