import { request } from 'node:http';
import { createServer } from 'node:net';
import type { DoctorSettings } from '../config.ts';
import { findingsOf, type Finding } from './check.ts';

const { ok, failure } = findingsOf('network');

const answerMsMax = 5_000;

/** Listens for a moment; returns the code of the error, or null when that worked. */
async function tryListening(host: string, port: number): Promise<string | null> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown error'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)));
  });
}

/** Returns whether a gateway or a worker serves its health on a port. */
async function answersAsTrunkline(host: string, port: number): Promise<boolean> {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return new Promise((resolve) => {
    const asked = request({ host: reachable, port, path: '/healthz', timeout: answerMsMax, agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false));
    asked.end();
  });
}

interface Listener {
  readonly hostName: string;
  readonly host: string;
  readonly portName: string;
  readonly port: number | null;
  /** Whether what listens there tells its health. */
  readonly hasHealth: boolean;
}

async function checkListener({ hostName, host, portName, port, hasHealth }: Listener): Promise<Finding> {
  const code = await tryListening(host, port ?? 0);
  if (code === null) return ok(`A process can listen on ${hostName}${port === null ? '' : ` and ${portName}`}.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return failure(`${hostName} is no address of this machine.`, `Set ${hostName} to one of \`ip address\`.`);
  }
  if (code === 'EACCES') {
    return failure(`This user may not listen on ${portName}.`, `Set ${portName} to a port above 1023.`);
  }
  if (code !== 'EADDRINUSE') return failure(`A process cannot listen on ${hostName}: ${code}.`, `Correct ${hostName}.`);
  if (!hasHealth || (port !== null && (await answersAsTrunkline(host, port)))) {
    return ok(`A process of Trunkline listens on ${portName}.`);
  }
  return failure(`Another program listens on ${portName}.`, `End that program, or set ${portName} to a free port.`);
}

/** Checks the addresses and ports on which processes of this environment are to listen. */
export async function checkNetwork({ config, environment }: DoctorSettings): Promise<readonly Finding[]> {
  const listeners = [
    {
      hostName: 'TRUNKLINE_DATA_HOST',
      host: config.TRUNKLINE_DATA_HOST,
      portName: 'TRUNKLINE_DATA_PORT',
      port: config.TRUNKLINE_DATA_PORT || null,
      hasHealth: false,
    },
    {
      hostName: 'TRUNKLINE_METRICS_HOST',
      host: config.TRUNKLINE_METRICS_HOST,
      portName: 'TRUNKLINE_METRICS_PORT',
      port: config.TRUNKLINE_METRICS_PORT || null,
      hasHealth: true,
    },
    {
      hostName: 'TRUNKLINE_HOST',
      host: environment['TRUNKLINE_HOST'] || '127.0.0.1',
      portName: 'TRUNKLINE_PORT',
      port: config.TRUNKLINE_PORT || null,
      hasHealth: true,
    },
  ];
  return Promise.all(
    listeners.flatMap(({ host, ...rest }) => (host === undefined ? [] : [checkListener({ host, ...rest })])),
  );
}
