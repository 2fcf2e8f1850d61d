import type { ChannelOptions } from "@grpc/grpc-js";

/** The maximum size of a message between services, in either direction. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** The flow-control window in each direction, large enough to transfer a file of some megabytes without pauses. */
export const flowControlWindowBytes = 4 * 1024 * 1024;

/** The interval of the pings on a connection with calls. */
const pingIntervalMs = 1_000;

/** How long a ping may stay without an acknowledgement before its connection is closed. Pings are acknowledged while calls are in progress. */
const pingTimeoutMs = 2_500;

/**
 * Returns the options of a channel to a service: round-robin over all addresses, quick reconnects, keepalive pings, and no proxy,
 * regardless of the environment. The default backoff of one second would turn a rolling restart into failed calls. With `retries`,
 * which is for idempotent methods only, calls that fail with UNAVAILABLE are retried up to three times within a second. A request that
 * makes two calls to an unavailable service is therefore refused within two seconds.
 */
export function channelOptions({ retries }: { retries: boolean }): ChannelOptions {
  const retryPolicy = {
    maxAttempts: 4,
    initialBackoff: "0.1s",
    maxBackoff: "1s",
    backoffMultiplier: 2,
    retryableStatusCodes: ["UNAVAILABLE"],
  };
  const serviceConfig = {
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: retries ? [{ name: [{}], retryPolicy }] : [],
  };
  return {
    "grpc.service_config": JSON.stringify(serviceConfig),
    "grpc.service_config_disable_resolution": 1,
    "grpc.enable_http_proxy": 0,
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 500,
    "grpc.keepalive_time_ms": pingIntervalMs,
    "grpc.keepalive_timeout_ms": pingTimeoutMs,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc-node.flow_control_window": flowControlWindowBytes,
  };
}
