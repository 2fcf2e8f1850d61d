import { create } from "@bufbuild/protobuf";
import {
  LeaseRequestsResponseSchema,
  RateLimitService,
} from "@switchyard/contracts/switchyard/identity/internal/v1/rate_limit";
import { invalid, register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { Violation } from "@switchyard/text";
import type { RequestCounts } from "../../store/request-counts.ts";

const minuteMs = 60_000;

/** Implements RateLimitService, from which gateways lease the requests that a token may make in a minute. */
export function rateLimitService(counts: RequestCounts, now: () => Date): ServiceRegistration {
  return register(RateLimitService, {
    async leaseRequests({ tokenId, limit, wanted }) {
      const violations: Violation[] = [];
      if (tokenId === "") violations.push({ field: "tokenId", message: "is required" });
      if (limit < 1) violations.push({ field: "limit", message: "must be at least 1" });
      if (wanted < 1 || wanted > limit) violations.push({ field: "wanted", message: "must be 1 to the limit" });
      if (violations.length > 0) throw invalid(violations);
      const minute = Math.floor(now().getTime() / minuteMs);
      const before = await counts.add(tokenId, minute, wanted);
      const left = Math.max(0, limit - before);
      const granted = Math.min(wanted, left);
      // The count may have waited for the database. The minute may then be over, but its rest must not be negative.
      const endsInMs = Math.max(0, (minute + 1) * minuteMs - now().getTime());
      return create(LeaseRequestsResponseSchema, { granted, left: left - granted, minute, endsInMs });
    },
  });
}
