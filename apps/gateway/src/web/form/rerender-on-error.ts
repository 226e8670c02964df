import {
  AuthenticationError,
  BusyError,
  InternalError,
  OutcomeUnknownError,
  toRpcError,
  UnavailableError,
} from '@trunkline/contracts';
import { statusOf, type ErrorStatus } from '../http/web-error.ts';

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
