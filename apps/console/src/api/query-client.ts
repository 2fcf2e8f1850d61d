import { QueryClient } from "@tanstack/react-query";

/**
 * Creates the cache of responses of a session. The client itself retries what may be retried, so the cache does not; a response is shown
 * again at once, and is requested again in the background whenever a page opens. Calls do not wait for a network: a browser that has none still
 * reaches a server on its own machine, and says so if it does not.
 */
export function createQueries(_generation: number): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 0, gcTime: 60_000, refetchOnWindowFocus: true, networkMode: "always" },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
