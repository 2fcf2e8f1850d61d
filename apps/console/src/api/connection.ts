import { createClient } from "@switchyard/client";
import type { Client } from "@switchyard/client";
import type { CallSink } from "./call-log.ts";

/** Creates the client of a session. Its requests go to the server that the page came from, and are noted in the log. */
export function connect(token: string, log: CallSink): Client {
  const { origin } = location;
  return createClient({
    baseUrl: origin,
    token,
    fetch: (input, init) => {
      const url = typeof input === "string" ? input : input instanceof URL ? input.href : input.url;
      const body = init?.body;
      log.add({
        method: init?.method ?? "GET",
        path: url.slice(origin.length),
        body: typeof body === "string" ? body : undefined,
        form: body instanceof FormData ? [...body].map(toField) : undefined,
      });
      return fetch(input, init);
    },
  });
}

function toField([name, value]: [string, FormDataEntryValue]): string {
  return `${name}=${typeof value === "string" ? value : "@FILE"}`;
}
