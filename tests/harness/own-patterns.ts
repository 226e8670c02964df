import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Matches a regular expression literal where an expression may begin, so that comments and divisions do not match. */
const literal =
  /(?<=(?:[=(,:[!&|?{};]|=>|\breturn)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)(?=[\s.,;)\]}])/g;

export interface OwnPattern {
  readonly location: string;
  readonly pattern: RegExp;
}

/** Returns every regular expression literal in the sources of apps and packages, without their tests. */
export function ownPatterns(): OwnPattern[] {
  const apps = ['apps', 'packages'].flatMap((above) =>
    readdirSync(`${root}${above}`).map((name) => `${above}/${name}/src`),
  );
  const files = apps.flatMap((app) =>
    readdirSync(`${root}${app}`, { recursive: true, encoding: 'utf8' }).map((name) => `${app}/${name}`),
  );
  return files
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\/testing\//.test(file))
    .flatMap((file) => {
      const text = readFileSync(`${root}${file}`, 'utf8').replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, '');
      return Array.from(text.matchAll(literal), ([shown, source = '', flags = '']) => ({
        location: `${file} ${shown}`,
        pattern: new RegExp(source, flags),
      }));
    });
}
