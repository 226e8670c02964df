import { build } from 'esbuild';

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
    // What is no module calls this.
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`,
    },
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
