import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ChangeService,
  WatchChangesResponseSchema,
} from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import type { WatchChangesResponse } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import { register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { ChangeFeed, ProjectDeletion } from "../store/changes/change-feed.ts";
import type { Writes } from "@switchyard/storage";

/** The interval at which idle readers receive a message, all at the same time, so that they wake the process together. */
const heartbeatIntervalMs = 4_000;
const batchSize = 100;

/** Implements ChangeService, which informs other services of changes. Its streams end when `stopping` is aborted. */
export function changeService(feed: ChangeFeed, writes: Writes, stopping: AbortSignal): ServiceRegistration {
  return register(ChangeService, {
    async *watchChanges({ after }, context) {
      const signal = AbortSignal.any([context.signal, stopping]);
      let position = after;
      for (let lastBeat = -1; !signal.aborted;) {
        const { count } = writes;
        // Read before the changes, so that all changes up to this position are visible.
        const last = await feed.lastPosition();
        if (position === undefined || position > last) {
          yield* snapshot(last);
          position = last;
        }
        const changes = last === position ? [] : await feed.changesAfter(position, batchSize);
        // Positions have no gaps, so a missing change is no longer kept.
        if (last > position && changes[0]?.position !== position + 1) {
          position = undefined;
          continue;
        }
        for (const change of changes) {
          if (change.position !== position + 1) break;
          position = change.position;
          yield message(change, position);
        }
        if (position < last) continue;
        do {
          const beat = Math.floor(performance.now() / heartbeatIntervalMs);
          if (beat === lastBeat) continue;
          yield create(WatchChangesResponseSchema, { position });
          lastBeat = beat;
          // Without a write, there is nothing to read before the next heartbeat.
        } while (!(await writes.after(count, getTimeToBeat(), signal)) && !signal.aborted);
      }
    },
  });

  /** Yields every project that was ever deleted, and then the position at which the changes continue. */
  async function* snapshot(position: number): AsyncGenerator<WatchChangesResponse> {
    for (let afterId = ""; ;) {
      const deletions = await feed.deletedProjects(afterId, batchSize);
      for (const deletion of deletions) yield message(deletion);
      afterId = deletions.at(-1)?.projectId ?? "";
      if (deletions.length < batchSize) break;
    }
    yield create(WatchChangesResponseSchema, { position });
  }
}

function message({ projectId, organizationId, at }: ProjectDeletion, position?: number): WatchChangesResponse {
  return create(WatchChangesResponseSchema, {
    ...(position === undefined ? {} : { position }),
    at: timestampFromDate(at),
    kind: { case: "projectDeleted", value: { projectId, organizationId } },
  });
}

/** Returns the time until the next heartbeat in milliseconds, rounded up as timers need it. */
function getTimeToBeat(): number {
  return Math.ceil(heartbeatIntervalMs - (performance.now() % heartbeatIntervalMs));
}
