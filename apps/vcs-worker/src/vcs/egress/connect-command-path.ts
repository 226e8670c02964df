import { fileURLToPath } from 'node:url';

/** The built script: a plain node runs it, so the sources, too, start the one in dist. */
export const connectCommandPath = fileURLToPath(
  new URL('../../../dist/vcs/egress/connect-command.js', import.meta.url),
);
