import * as v from 'valibot';

/** Whether the call changed anything, and what is so now. */
export const Outcome = v.strictObject({ success: v.boolean(), msg: v.string() });
