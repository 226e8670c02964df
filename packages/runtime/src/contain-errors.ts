import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** Answers a request, at once or later. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * Returns a listener of an HTTP server. An error that `answer` throws, at once or later, or that the response emits
 * closes the connection of that request and is reported: uncaught, it would end the process.
 */
export function containErrors(answer: Answer, report: (error: unknown) => void): RequestListener {
  return (request, response) => {
    const fail = (error: unknown) => {
      request.socket.destroy();
      report(error);
    };
    response.on('error', fail);
    new Promise<void>((resolve) => resolve(answer(request, response))).catch(fail);
  };
}
