import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSession } from "../session/session.ts";
import { createRefresh } from "./refresh.ts";

/** The pause before a broken stream is opened again, in milliseconds. */
const pauseMs = 3_000;

/** Keeps what is shown of a project current: whatever happens in it, the open lists are requested again. */
export function useProjectEvents(projectId: string): void {
  const { client } = useSession();
  const queries = useQueryClient();
  useEffect(() => {
    const ended = new AbortController();
    const refresh = createRefresh(queries);
    const follow = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        try {
          for await (const _ of client.watchProjectEvents({ projectId }, { signal: ended.signal })) refresh.request();
        } catch {
          // Without the stream, the lists are still requested from time to time. Their responses show whether the token is still accepted.
        }
        if (ended.signal.aborted) return;
        refresh.request();
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    };
    void follow();
    return () => {
      ended.abort();
      refresh.end();
    };
  }, [client, queries, projectId]);
}
