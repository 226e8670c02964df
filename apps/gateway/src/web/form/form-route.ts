import {
  AuthenticationError,
  BusyError,
  ConflictError,
  InternalError,
  OutcomeUnknownError,
  toRpcError,
  UnavailableError,
} from '@trunkline/contracts';
import { statusOf, type ErrorStatus } from '../http/web-error.ts';
import type { PageRoute } from '../page-route.ts';
import type { Visit } from '../visit.ts';

/** Throws ConflictError, which refuses a form, when the form's method answers that there was nothing to do. */
export function requireSuccess({ success, msg }: { readonly success: boolean; readonly msg: string }): void {
  if (!success) throw new ConflictError(msg);
}

/** The error of a refused form. */
export interface Refusal {
  readonly message: string;
  readonly status: ErrorStatus;
}

/** Errors that the user cannot avoid by changing the form's values; they are rethrown. */
const notOfTheForm = [AuthenticationError, BusyError, InternalError, OutcomeUnknownError, UnavailableError];

/** Handles a form or a filter; when its entries are refused, `showAgain` renders the page with the error. */
export async function rerenderOnError(
  act: () => Promise<Response>,
  showAgain: (refusal: Refusal) => Promise<Response>,
): Promise<Response> {
  try {
    return await act();
  } catch (thrown) {
    const error = toRpcError(thrown);
    if (notOfTheForm.some((kind) => error instanceof kind)) throw error;
    return showAgain({ message: error.message, status: statusOf(error) });
  }
}

export interface FormPage<T> {
  /** Reads the object that the page shows. */
  readonly readObject: (visit: Visit) => Promise<T>;
  readonly show: (visit: Visit, object: T, refusal: Refusal | null) => Promise<Response>;
  /** Performs the form's action and returns the redirect. */
  readonly submit: (visit: Visit, object: T) => Promise<Response>;
}

/** Returns the route of a page whose forms are posted to the page's own path. */
export function formRoute<T>(
  route: Omit<PageRoute, 'get' | 'post'>,
  { readObject, show, submit }: FormPage<T>,
): PageRoute {
  return {
    ...route,
    get: async (visit) => show(visit, await readObject(visit), null),
    async post(visit) {
      const object = await readObject(visit);
      return rerenderOnError(
        () => submit(visit, object),
        (refusal) => show(visit, object, refusal),
      );
    },
  };
}
