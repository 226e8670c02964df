import * as v from 'valibot';

/** Whether the call changed anything, and a message about the present state. */
export const Outcome = v.strictObject({ success: v.boolean(), msg: v.string() });
