import type { Operation } from '../operation.ts';
import { operations } from '../operations/index.ts';

/** What the web pages ask of workers beside the API's operations; the RPC endpoint does not know them. */
export const views = {} as const satisfies { readonly [Name in string]: Operation<Name> };

/** Everything a worker answers. */
export const served = { ...operations, ...views };

export type Served = typeof served;
export type ServedName = keyof Served;
