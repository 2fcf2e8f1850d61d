import type { Logger } from "@switchyard/rpc";
import type { Storage } from "./connection.ts";

/** The settings of a replica set that determine how long writes wait after its primary hangs. */
interface FailoverSettings {
  electionTimeoutMillis?: unknown;
  heartbeatTimeoutSecs?: unknown;
}

/**
 * The maximum sum of the election and heartbeat timeouts, in milliseconds, with which writes continued within 12 s in measurements on
 * MongoDB 6.0. The defaults are 10 s each.
 */
const maxFailoverMs = 12_000;

/**
 * Logs a warning if, with the settings of the replica set, writes may wait for more than 12 s after its primary hangs. Does nothing for a
 * single node or a sharded cluster, or if the user may not read the settings. Never rejects.
 */
export async function warnOfSlowFailover({ connection }: Pick<Storage, "connection">, logger: Logger): Promise<void> {
  try {
    const admin = connection.getClient().db("admin");
    const { hosts } = (await admin.command({ hello: 1 })) as { hosts?: unknown };
    if (!Array.isArray(hosts) || hosts.length < 2) return;
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as { config: { settings: FailoverSettings } };
    const { electionTimeoutMillis, heartbeatTimeoutSecs } = config.settings;
    if (Number(electionTimeoutMillis) + Number(heartbeatTimeoutSecs) * 1_000 <= maxFailoverMs) return;
    logger.warn(
      { electionTimeoutMillis, heartbeatTimeoutSecs },
      "With these settings of the replica set, writes may wait for more than 12 s after its primary hangs. " +
        "docs/storage.md (Running on a replica set) shows shorter ones.",
    );
  } catch {
    // The warning is optional, so errors are ignored.
  }
}
