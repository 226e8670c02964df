// The program of the spawner. Its argument is the path of the socket at which its worker takes the streams of commands.
import type { SpawnerRequest } from './messages.ts';
import { StartServer } from './serve-starts.ts';

const server = new StartServer(process.argv[2] ?? '', (report) => {
  // Without its worker this process ends.
  if (process.connected) process.send?.(report, undefined, undefined, () => {});
});
process.on('message', (request: SpawnerRequest) => server.take(request));
process.on('disconnect', () => process.exit(0));
