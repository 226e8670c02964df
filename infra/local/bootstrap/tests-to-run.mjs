import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Returns whether the values of `--project` include the project `name`; `!` excludes a name, `*` matches any text. */
function namesProject(args, name) {
  const patterns = args.flatMap((arg, index) => {
    if (arg === '--project') return args[index + 1] ?? [];
    return arg.startsWith('--project=') ? arg.slice('--project='.length) : [];
  });
  const matches = (pattern) => {
    const words = pattern.split('*').map((word) => word.replace(/[^\w-]/g, String.raw`\$&`));
    return new RegExp(`^${words.join('.*')}$`, 'i').test(name);
  };
  const [without, only] = [
    patterns.filter((one) => one.startsWith('!')),
    patterns.filter((one) => !one.startsWith('!')),
  ];
  return !without.some((one) => matches(one.slice(1))) && (only.length === 0 || only.some(matches));
}

/** Returns the arguments that are parts of file names; a word after an option counts as the option's value. */
export function filtersOf(args) {
  return args.filter((arg, index) => !arg.startsWith('-') && !(args[index - 1] ?? '').startsWith('-'));
}

/** Tells whether the tier `quick`, `long` or `all` has the test file of this name. */
function isOfTier(tier, file) {
  return tier === 'all' || file.endsWith('.long.test.ts') === (tier === 'long');
}

/**
 * Returns whether a run of vitest with the arguments `args` in the tier `tier` has a test file of `project` in
 * `directory` whose name matches `name`. In doubt returns true, so that too many programs are fetched rather than too few.
 */
export function runsAny({ args, root, tier }, { project, directory, name = /./ }) {
  if (!namesProject(args, project)) return false;
  if (!existsSync(join(root, directory))) return true;
  const filters = filtersOf(args).map((filter) => filter.replace(/:\d+$/, '').toLowerCase());
  const files = readdirSync(join(root, directory)).filter(
    (file) => file.endsWith('.test.ts') && isOfTier(tier, file) && name.test(file),
  );
  if (filters.length === 0) return files.length > 0;
  const paths = files.map((file) => join(root, directory, file).toLowerCase());
  return filters.some((filter) => paths.some((path) => path.includes(filter.replace(/^\.\//, ''))));
}
