import {
  AuthenticationError,
  BusyError,
  InternalError,
  OutcomeUnknownError,
  toRpcError,
  UnavailableError,
} from '@trunkline/contracts';
import { statusOf, type ErrorStatus } from '../http/web-error.ts';

/** What an operation had against a form. */
export interface Refusal {
  readonly message: string;
  readonly status: ErrorStatus;
}

/** Other entries in the form would not help against these. */
const notOfTheForm = [AuthenticationError, BusyError, InternalError, OutcomeUnknownError, UnavailableError];

/** Takes a form; when what was entered is refused, its page is shown once more. */
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
