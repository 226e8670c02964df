import type { MethodHandler } from '../context.ts';

export const test: MethodHandler<'test'> = async ({ args }) => args;
