import { ApiError, ConnectionError, TimeoutError } from "@switchyard/client";

/** Whether an error will affect all other documents too: the server or the token fails. A timeout only affects its own document. */
export function affectsAllDocuments(error: unknown): boolean {
  if (error instanceof TimeoutError) return false;
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && [401, 403, 404, 410, 429, 502, 503].includes(error.status);
}
