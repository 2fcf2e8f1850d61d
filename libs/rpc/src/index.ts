export type { Admit } from "./serving/admission.ts";
export { callOptions } from "./serving/call-options.ts";
export { createChannelTransport } from "./channels/channel.ts";
export { createDirectTransport } from "./channels/direct.ts";
export {
  canceled,
  conflict,
  deadlineExceeded,
  getProblemFacts,
  forbidden,
  internal,
  invalid,
  modelHasNoSchema,
  notFound,
  problem,
  unauthenticated,
  unavailable,
  type Violation,
} from "./errors.ts";
export { freePort } from "./serving/free-port.ts";
export { checkHealth } from "./health/health.ts";
export { idempotencyKeyHeader, isIdempotencyKey, replayedHeader, takesIdempotencyKey } from "./idempotency-key.ts";
export { currentSignal } from "./interceptors/call-signal.ts";
export { clientInterceptors, serverInterceptors } from "./interceptors/chains.ts";
export { errorInterceptor, reportError } from "./interceptors/errors.ts";
export { loggingInterceptor } from "./interceptors/logging.ts";
export { refuseRemoved } from "./interceptors/removed.ts";
export {
  isRequestId,
  assignRequestId,
  requestIdHeader,
  requestIdInterceptors,
  requestIdKey,
} from "./interceptors/request-id.ts";
export { smallBodyBytes } from "./limits/admitted-body.ts";
export { type ByteBudget, createByteBudget } from "./limits/byte-budget.ts";
export { createOpenConnections, type OpenConnection } from "./limits/open-connections.ts";
export { connectionBacklog } from "./limits/port-limits.ts";
export type { PortLimits } from "./limits/port-limits.ts";
export { createActiveRequests } from "./limits/active-requests.ts";
export { createLogger, type Logger } from "./logger.ts";
export { createReadiness, type Ready } from "./health/readiness.ts";
export { reflectionServices } from "./reflection/reflection.ts";
export { register, type ServiceRegistration } from "./serving/registration.ts";
export {
  createRpcRequestHandler,
  abortResponseKey,
  type LimitMessages,
  type RpcRequestHandler,
} from "./serving/request-handler.ts";
export { getHeaderValues } from "./serving/node-messages.ts";
export { storageProblem } from "./storage-problem.ts";
export { serveRpc } from "./serving/serving.ts";
export { abortReason, unlessAborted } from "./streams.ts";
export { discardUnread, isLargelyUnread } from "./serving/unread-request.ts";
