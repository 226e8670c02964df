// The program of the spawner. Its argument is the path of the socket at which its worker takes the streams of commands.
import type { SpawnerReport, SpawnerRequest } from './messages.ts';
import { StartServer } from './serve-starts.ts';

const report = (message: SpawnerReport) => {
  // Without its worker this process ends.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};
const server = new StartServer(process.argv[2] ?? '', report);
process.on('message', (request: SpawnerRequest) => server.take(request));
process.on('disconnect', () => process.exit(0));
// Its worker, to which these signals may be sent as well, ends its commands before it ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
report({ alive: true });
