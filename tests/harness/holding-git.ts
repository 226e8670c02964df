import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toolCommand } from './tool-command.ts';

/**
 * Writes a git into the directory that adds a line to the file `held` there, and does not run its command while the file
 * `hold` exists; returns the setting with the command of this git.
 */
export async function holdingGit(directory: string, held = 'fsck'): Promise<string> {
  const real = toolCommand('TRUNKLINE_GIT_COMMAND', 'git')
    .map((word) => `'${word}'`)
    .join(' ');
  const wait = `echo >> ${directory}/held; while [ -e ${directory}/hold ]; do sleep 0.05; done`;
  const script = join(directory, 'git');
  await writeFile(script, `#!/bin/sh\ncase "$*" in *${held}*) ${wait};; esac\nexec ${real} "$@"\n`, { mode: 0o755 });
  return JSON.stringify([script]);
}
