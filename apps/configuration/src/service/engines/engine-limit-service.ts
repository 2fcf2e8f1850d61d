import { create } from "@bufbuild/protobuf";
import {
  EngineLimitService,
  TakePlaceResponseSchema,
} from "@switchyard/contracts/switchyard/configuration/internal/v1/engine_limits";
import { invalid, register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { Violation } from "@switchyard/text";
import type { EnginePlaces } from "../../store/engine-places.ts";
import type { RequestCounts } from "../../store/request-counts.ts";

const minuteMs = 60_000;
/** When a place is likely to be free again. Requests to a language model take seconds. */
const busyMs = 250;

/**
 * Implements EngineLimitService, by which the processes of all services share the limits of language models. Minutes are fixed and aligned
 * to the clock. A request that begins right after a minute has ended counts for the next one.
 */
export function engineLimitService(places: EnginePlaces, counts: RequestCounts, now: () => Date): ServiceRegistration {
  return register(EngineLimitService, {
    async takePlace({ engine, placeId: id, parallel, requestsPerMinute, expiresInMs }) {
      const violations: Violation[] = [];
      if (engine === "") violations.push({ field: "engine", message: "is required" });
      if (id === "") violations.push({ field: "placeId", message: "is required" });
      if (parallel < 1) violations.push({ field: "parallel", message: "must be at least 1" });
      if (requestsPerMinute < 0) violations.push({ field: "requestsPerMinute", message: "must be at least 0" });
      if (expiresInMs < 1) violations.push({ field: "expiresInMs", message: "must be at least 1" });
      if (violations.length > 0) throw invalid(violations);
      const at = now().getTime();
      const until = new Date(at + expiresInMs);
      if (!(await places.take(engine, { id, until }, parallel, new Date(at)))) {
        return create(TakePlaceResponseSchema, { retryInMs: busyMs });
      }
      if (requestsPerMinute === 0) return create(TakePlaceResponseSchema, { taken: true });
      // A token has no such ID.
      const minute = Math.floor(at / minuteMs);
      if ((await counts.add(`engine:${engine}`, minute, 1)) < requestsPerMinute) {
        return create(TakePlaceResponseSchema, { taken: true });
      }
      await places.free(engine, id);
      return create(TakePlaceResponseSchema, { retryInMs: (minute + 1) * minuteMs - at });
    },
    async freePlace({ engine, placeId }) {
      await places.free(engine, placeId);
      return {};
    },
  });
}
