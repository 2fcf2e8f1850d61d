import type { ChannelOptions } from "@grpc/grpc-js";

/** The largest message between services, in either direction. */
export const maxMessageBytes = 64 * 1024 * 1024;

/** What may be under way in one direction before the receiver has read it: a file of some megabytes moves without pauses. */
export const flowControlWindowBytes = 4 * 1024 * 1024;

/**
 * The settings of a channel to a service: all its addresses in turn, quick reconnects (the default first wait of one
 * second turns a rolling restart into failed calls; with more than half a second between them, a service that was away for
 * longer would not be found again at once), pings on quiet connections, and no proxy, whatever the environment says. With
 * `retries`, calls that end in UNAVAILABLE are made again, up to three times within less than a second, so that a request
 * that needs two answers of a service that is away is refused within two; only methods that may be repeated belong on such
 * a channel.
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
    "grpc.keepalive_time_ms": 30_000,
    "grpc.keepalive_timeout_ms": 15_000,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc-node.flow_control_window": flowControlWindowBytes,
  };
}
