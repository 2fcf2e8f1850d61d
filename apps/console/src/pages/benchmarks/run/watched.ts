import { ApiError } from "@switchyard/client";
import type { Client, Execution, ExecutionEvent } from "@switchyard/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { firstRequests } from "../../../api/first-requests.ts";
import { useSession } from "../../../session/session.ts";

/** The time until a broken stream is opened again, in milliseconds. */
const pauseMs = 2_000;

/**
 * Follows a run while it is running, and keeps what is known of it current. The client opens a broken stream again a few times; after that
 * this does, until the run has ended or the page is left. Returns whether the stream is broken.
 */
export function useWatched(execution: Execution | undefined): boolean {
  const { client } = useSession();
  const queries = useQueryClient();
  const [isBroken, setBroken] = useState(false);
  const executionId = execution?.status === "RUNNING" ? execution.id : undefined;
  useEffect(() => {
    if (executionId === undefined) return undefined;
    const leaving = new AbortController();
    const show = (event: ExecutionEvent): void => {
      setBroken(false);
      // Once it has ended, the response is requested again, because it then has more than the event.
      if (event.status === "RUNNING")
        queries.setQueryData<Execution>(
          firstRequests.run(executionId),
          (known) => known && { ...known, progress: event.progress },
        );
    };
    void follow(client, executionId, leaving.signal, show, () => setBroken(true)).then(() =>
      leaving.signal.aborted ? undefined : queries.invalidateQueries(),
    );
    return () => leaving.abort();
  }, [client, queries, executionId]);
  return isBroken;
}

/** Reads the events of a run until the stream ends with it. */
async function follow(
  client: Client,
  executionId: string,
  signal: AbortSignal,
  onEvent: (event: ExecutionEvent) => void,
  onBroken: () => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      let hasEnded = false;
      for await (const event of client.watchExecution({ executionId }, { signal })) {
        onEvent(event);
        hasEnded = event.status !== "RUNNING";
      }
      // A server that stops ends its streams too.
      if (hasEnded) return;
    } catch (error) {
      // A refusal, such as 404 after a deletion, is shown by the calls of the page. After too many requests, waiting helps.
      if (signal.aborted || (error instanceof ApiError && error.status < 500 && error.status !== 429)) return;
    }
    onBroken();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
