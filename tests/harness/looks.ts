/** Colour schemes and widths in which pages are tested. */
export const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 1280].map((width) => [colorScheme, width] as const),
);
