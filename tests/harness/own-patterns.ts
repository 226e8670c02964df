import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A regular expression where an expression may begin; comments and divisions are none. */
const literal =
  /(?<=(?:[=(,:[!&|?{};]|=>|\breturn)\s*)\/(?![*/])((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)(?=[\s.,;)\]}])/g;

export interface OwnPattern {
  readonly place: string;
  readonly pattern: RegExp;
}

/** Every regular expression that apps and packages write down. */
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
        place: `${file} ${shown}`,
        pattern: new RegExp(source, flags),
      }));
    });
}
