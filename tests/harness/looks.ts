import { byForm } from './long-form.ts';

const all = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => [colorScheme, width] as const),
);
const eachOnce = all.filter(([colorScheme, width]) => (colorScheme === 'dark') === (width === 360));

/** The colours and widths that pages are looked at in. */
export const looks = byForm(eachOnce, all);
