import type { ServiceImpl } from "@connectrpc/connect";
import { Code } from "@connectrpc/connect";
import { getCaller, requireReach } from "@switchyard/access";
import type { EventService, ProjectEvent } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import { callOptions, getProblemFacts, notFound, unavailable } from "@switchyard/rpc";
import type { Dependencies } from "../dependencies.ts";
import { mergeEvents } from "./merged-events.ts";

/** Streams the events of a project that one service knows, until the signal is aborted. The first message is empty. */
export type EventSource = (projectId: string, signal: AbortSignal) => AsyncIterable<ProjectEvent>;

/** Creates the RPC that streams what happens in a project, as all services report it. */
export function createEventRpc(
  { projects }: Pick<Dependencies, "projects">,
  sources: readonly EventSource[],
): ServiceImpl<typeof EventService> {
  return {
    async *watchProjectEvents({ projectId }, context) {
      const caller = getCaller(context);
      const found = await projects.resolveProjects({ projectIds: [projectId] }, callOptions(context));
      const project = found.projects.find(({ id }) => id === projectId);
      if (project === undefined || project.organizationId !== caller.organizationId) {
        throw notFound("project", projectId, "projectId");
      }
      requireReach(caller, projectId);
      const ending = new AbortController();
      const signal = AbortSignal.any([context.signal, ending.signal]);
      try {
        yield* mergeEvents(
          sources.map((watch) => watch(projectId, signal)),
          () => ending.abort(),
        );
      } catch (error) {
        if (context.signal.aborted || isOwn(error)) throw error;
        throw interrupted(error);
      }
      // A stream without an end ends only if its service does.
      if (!context.signal.aborted) throw interrupted();
    },
  };
}

/** Whether the error is one that clients of the stream know. */
function isOwn(error: unknown): boolean {
  return getProblemFacts(error).reason === "EVENTS_MISSED";
}

/** The error of a stream one of whose sources has ended. A fault of a source that is more than its absence is thrown as it is. */
function interrupted(cause?: unknown): Error {
  const isExpected = cause === undefined || getProblemFacts(cause).code === Code.Unavailable;
  if (!isExpected && cause instanceof Error) return cause;
  return unavailable(
    "EVENTS_INTERRUPTED",
    "A part of the system that reports events is unavailable. Open the stream again.",
    cause,
  );
}
