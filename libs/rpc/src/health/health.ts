import type { DescService } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { HandlerContext, Transport } from "@connectrpc/connect";
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "@switchyard/contracts/grpc/health/v1/health";
import { isReasonOf } from "@switchyard/contracts/reasons";
import { getProblemFacts, notFound, unavailable } from "../errors.ts";
import type { Ready } from "./readiness.ts";
import { register, type ServiceRegistration } from "../serving/registration.ts";

/** The response header with the reason why a server is NOT_SERVING, such as `STORAGE_FULL`. */
const notServingReasonHeader = "x-not-serving-reason";

/**
 * Creates the gRPC health service (`grpc.health.v1`) of a server. The server itself ("") and each of its services are SERVING while
 * `ready` resolves and `draining` is not aborted, and NOT_SERVING otherwise. When draining begins, watchers are notified and their calls
 * end.
 */
export function healthService(
  services: readonly DescService[],
  draining: AbortSignal,
  ready: Ready = () => Promise.resolve(),
): ServiceRegistration {
  const names = new Set(["", ...services.map((service) => service.typeName)]);
  async function current({ responseHeader }: Pick<HandlerContext, "responseHeader">): Promise<ServingStatus> {
    try {
      if (!draining.aborted) await ready();
    } catch (error) {
      responseHeader.set(notServingReasonHeader, getProblemFacts(error).reason);
      return ServingStatus.NOT_SERVING;
    }
    return draining.aborted ? ServingStatus.NOT_SERVING : ServingStatus.SERVING;
  }
  return register(Health, {
    async check({ service }, context) {
      if (!names.has(service)) throw notFound("service", service);
      return { status: await current(context) };
    },
    async *watch({ service }, context) {
      yield { status: names.has(service) ? await current(context) : ServingStatus.SERVICE_UNKNOWN };
      if (draining.aborted) return;
      await aborted(AbortSignal.any([draining, context.signal]));
      // Without an error, a call that its deadline ends would be OK if the server notices the deadline before the client does.
      if (!draining.aborted) context.signal.throwIfAborted();
      if (names.has(service)) yield { status: ServingStatus.NOT_SERVING };
    },
    async list(_request, context) {
      const status = await current(context);
      return { statuses: Object.fromEntries([...names].map((name) => [name, { status }])) };
    },
  });
}

/** Checks the health of a server over a transport. Rejects with Unavailable and the server's reason if it is not serving. */
export async function checkHealth(transport: Transport, timeoutMs: number): Promise<void> {
  let reason = "NOT_READY";
  const onHeader = (header: Headers): void => {
    reason = header.get(notServingReasonHeader) ?? reason;
  };
  const { status } = await createClient(Health, transport).check({}, { timeoutMs, onHeader });
  if (status !== ServingStatus.SERVING) {
    throw unavailable(isReasonOf("UNAVAILABLE", reason) ? reason : "NOT_READY", "A service is not ready.");
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
