import { build } from 'esbuild';
import { requireOfModule } from '../../infra/local/bootstrap/build.mjs';

/**
 * Returns one module of plain JavaScript with a script and all that it imports, for processes that run no TypeScript;
 * `resolveDir` is the directory from which it imports.
 */
export async function bundleScript(contents: string, resolveDir: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir },
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: requireOfModule },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
