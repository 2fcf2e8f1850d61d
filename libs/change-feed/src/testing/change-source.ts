import { create } from "@bufbuild/protobuf";
import { WatchChangesResponseSchema } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import type { WatchChangesResponse } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import { setTimeout as sleep } from "node:timers/promises";
import type { ChangeSource } from "../change-reader.ts";

/** A change feed in memory, for tests of its readers. */
export interface TestChangeSource extends ChangeSource {
  /** Deletes a project of the organization org_1. */
  deleteProject(projectId: string): void;
  /** The position from which each connected reader started. */
  readonly begun: (number | undefined)[];
  /** Ends all connections, with an error or normally. */
  disconnect(error?: Error): void;
  /** If true, connections send nothing, not even heartbeats. */
  silent: boolean;
}

/** Creates a feed. Its snapshot contains all changes. */
export function createTestChangeSource(): TestChangeSource {
  const deleted: string[] = [];
  let connection = 0;
  let failure: Error | undefined;

  const message = (projectId: string, position?: number): WatchChangesResponse =>
    create(WatchChangesResponseSchema, {
      ...(position === undefined ? {} : { position }),
      kind: { case: "projectDeleted", value: { projectId, organizationId: "org_1" } },
    });

  const source: TestChangeSource = {
    begun: [],
    silent: false,
    deleteProject: (projectId) => void deleted.push(projectId),
    disconnect(error) {
      failure = error;
      connection += 1;
    },
    async *watchChanges({ after }, { signal }) {
      const mine = connection;
      source.begun.push(after);
      let position = after ?? deleted.length;
      if (after === undefined) for (const projectId of [...deleted]) yield message(projectId);
      while (mine === connection) {
        signal.throwIfAborted();
        if (!source.silent) {
          while (position < deleted.length) {
            position += 1;
            yield message(deleted[position - 1] ?? "", position);
          }
          yield create(WatchChangesResponseSchema, { position });
        }
        await sleep(5);
      }
      if (failure !== undefined) throw failure;
    },
  };
  return source;
}
