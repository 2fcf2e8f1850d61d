import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSession } from "../session/session.ts";

/** The pause before a broken stream is opened again, in milliseconds. */
const pauseMs = 3_000;
/** Events that arrive within this time are one reason to request the lists again, in milliseconds. */
const gatherMs = 300;

/** Keeps what is shown of a project current: whatever happens in it, the open lists are requested again. */
export function useProjectEvents(projectId: string): void {
  const { client } = useSession();
  const queries = useQueryClient();
  useEffect(() => {
    const ended = new AbortController();
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      waiting ??= setTimeout(() => {
        waiting = undefined;
        // What is being requested arrives first. To request it again would interrupt it: the next page of a list would never come.
        if (queries.isFetching() > 0) refresh();
        else void queries.invalidateQueries();
      }, gatherMs);
    };
    const follow = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        try {
          for await (const _ of client.watchProjectEvents({ projectId }, { signal: ended.signal })) refresh();
        } catch {
          // Without the stream, the lists are still requested from time to time. Their responses show whether the token is still accepted.
        }
        if (ended.signal.aborted) return;
        refresh();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    void follow();
    return () => {
      ended.abort();
      clearTimeout(waiting);
    };
  }, [client, queries, projectId]);
}
