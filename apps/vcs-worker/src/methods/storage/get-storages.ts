import { listStorages } from '../../storage/storage-list-store.ts';
import type { MethodHandler } from '../context.ts';

export const getStorages: MethodHandler<'get_storages'> = async (_args, { db }) => listStorages(db);
