import { hgArgv } from './hg/hg-argv.ts';
import { scopeOfRead } from './process/call-scope.ts';
import { childEnvironment } from './process/child-environment.ts';
import { dieWithParentCommand, type CommandLimits } from './process/command-limits.ts';
import { runCommand } from './process/run-command.ts';
import { VcsError } from './vcs-error.ts';

/**
 * Returns the HTML of reStructuredText, as untrusted as the text; null where docutils is not installed, or the text takes
 * too long or too much memory. Throws VcsError `busy` when there is no memory now.
 */
export type RenderRst = (text: string, signal: AbortSignal) => Promise<string | null>;

const timeoutMs = 5_000;
const htmlBytesMax = 4 * 1024 * 1024;
const dataBytesMax = 256 * 1024 * 1024;

interface RstOptions {
  readonly hgCommand: readonly string[];
  /** Path of the extension that runs docutils in Mercurial's Python, which is the one that we know. */
  readonly extension: string;
  readonly limits: CommandLimits;
}

export function createRenderRst({ hgCommand, extension, limits }: RstOptions): RenderRst {
  const words = [...hgArgv(hgCommand), `--config=extensions.trunkline_rst=${extension}`, 'trunkline-rst'];
  const own = { ...limits, dataBytes: dataBytesMax, cpuSeconds: timeoutMs / 1_000 };
  const command = dieWithParentCommand(words, own);
  return async (text, signal) => {
    try {
      const { exitCode, stdout } = await runCommand(command, {
        env: childEnvironment(),
        timeoutMs,
        stdoutBytesMax: htmlBytesMax,
        input: text,
        ...scopeOfRead(signal),
      });
      return exitCode === 0 ? stdout.toString('utf8') : null;
    } catch (error) {
      if (!(error instanceof VcsError) || error.kind === 'busy' || error.kind === 'cancelled') throw error;
      return null;
    }
  };
}
