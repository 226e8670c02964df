import { fileURLToPath } from 'node:url';

/** The root of the checkout: `dist`, from which this runs, is beside `src`. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url));
