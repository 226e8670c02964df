import { byForm } from './long-form.ts';
import { chosenSeed, seededRandom } from './random.ts';

const all = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => [colorScheme, width] as const),
);
const eachOnce = all.filter(([colorScheme, width]) => (colorScheme === 'dark') === (width === 360));

/** Colour schemes and widths in which pages are tested. */
export const looks = byForm(eachOnce, all);

const seed = chosenSeed();
const first = seededRandom(seed, 0).below(4);

/** Returns the pages to test in a colour scheme: all, or, in a short run, those that the seed draws: half of them, each in one. */
export function pagesIn(colorScheme: string, paths: Readonly<Record<string, string>>): (readonly [string, string])[] {
  const remainder = colorScheme === 'dark' ? first : (first + 2) % 4;
  const all = Object.entries(paths);
  return byForm(
    all.filter((_page, index) => index % 4 === remainder),
    all,
  );
}
