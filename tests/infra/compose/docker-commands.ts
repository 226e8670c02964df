import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ComposeProcesses } from './compose-processes.ts';

/** The commands of `docker compose` that pages use, with the options that change nothing here. */
const commands: Readonly<Record<string, (processes: ComposeProcesses, words: readonly string[]) => Promise<string>>> = {
  async up(processes, words) {
    const names = words.filter((word) => !word.startsWith('-'));
    if (words.includes('--force-recreate')) await processes.stop(names);
    await processes.up(names);
    return '';
  },
  async ps(processes) {
    return `${processes.list().join('\n')}\n`;
  },
  async stop(processes, names) {
    await processes.stop(names);
    return '';
  },
  async kill(processes, names) {
    await processes.kill(names);
    return '';
  },
  async down(processes) {
    await processes.down();
    return '';
  },
};

async function carryOut(processes: ComposeProcesses, [program, command = '', ...words]: readonly string[]) {
  const act = program === 'compose' && Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!act) return { exitCode: 1, output: `no such command: ${program} ${command}\n` };
  try {
    return { exitCode: 0, output: await act(processes, words) };
  } catch (error) {
    return { exitCode: 1, output: `${error instanceof Error ? error.message : String(error)}\n` };
  }
}

/** Serves what `docker.mjs` asks; returns the URL. */
export async function serveDocker(processes: ComposeProcesses): Promise<{ url: string; server: Server }> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const words = JSON.parse(await text(request)) as string[];
    response.end(JSON.stringify(await carryOut(processes, words)));
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}
