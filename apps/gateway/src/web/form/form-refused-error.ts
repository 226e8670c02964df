import { InvalidRequestError } from '@trunkline/contracts';

/** Error of a form that carries no token of the visitor's session, or comes from elsewhere. */
export class FormRefusedError extends InvalidRequestError {
  /** The path of the page with the form; null when the form has no page of its own. */
  readonly page: string | null;

  constructor(page: string | null) {
    super(
      'The form was not sent from a page of your current session. Open the page again, and send the form from there.',
    );
    this.page = page;
  }
}
