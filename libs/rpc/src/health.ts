import type { DescService } from "@bufbuild/protobuf";
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "@switchyard/contracts/grpc/health/v1/health";
import { notFound } from "./errors.ts";
import { register, type ServiceRegistration } from "./registration.ts";

/**
 * The gRPC health service (grpc.health.v1) of a server: the server itself ("") and each of its services are SERVING
 * until `draining` is aborted, then NOT_SERVING. Watchers learn of that, and their calls end.
 */
export function healthService(services: readonly DescService[], draining: AbortSignal): ServiceRegistration {
  const names = new Set(["", ...services.map((service) => service.typeName)]);
  const current = () => (draining.aborted ? ServingStatus.NOT_SERVING : ServingStatus.SERVING);
  return register(Health, {
    check({ service }) {
      if (!names.has(service)) throw notFound("service", service);
      return { status: current() };
    },
    async *watch({ service }, context) {
      yield { status: names.has(service) ? current() : ServingStatus.SERVICE_UNKNOWN };
      if (draining.aborted) return;
      await aborted(AbortSignal.any([draining, context.signal]));
      if (draining.aborted && names.has(service)) yield { status: current() };
    },
    list() {
      return { statuses: Object.fromEntries([...names].map((name) => [name, { status: current() }])) };
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
