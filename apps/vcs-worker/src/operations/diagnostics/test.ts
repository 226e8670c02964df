import type { Handler } from '../context.ts';

export const test: Handler<'test'> = async ({ args }) => args;
