import { fileURLToPath } from 'node:url';

/** Path of the compiled connect command in dist, also when the worker runs from sources: a plain node runs the file. */
export const connectCommandPath = fileURLToPath(
  new URL('../../../dist/vcs/egress/connect-command.js', import.meta.url),
);
