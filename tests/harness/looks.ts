import { byForm } from './long-form.ts';

const all = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => [colorScheme, width] as const),
);
const eachOnce = all.filter(([colorScheme, width]) => (colorScheme === 'dark') === (width === 360));

/** Colour schemes and widths in which pages are tested. */
export const looks = byForm(eachOnce, all);
