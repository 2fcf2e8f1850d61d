import { isDuplicateKey } from "@switchyard/storage";
import { Schema } from "mongoose";
import type { Connection } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** The requests of a token in a minute that were leased to gateways. They are deleted after the minute. */
interface RequestCountDocument {
  /** The token and the minute, separated by a space. */
  _id: string;
  leased: number;
  expiresAt: Date;
}

/** Counts the requests of tokens by the minute. Minutes are counted from 1970. */
export interface RequestCounts {
  /** Adds to the count of a token in a minute, and returns the count before. Concurrent calls are added one after the other. */
  add(tokenId: string, minute: number, requests: number): Promise<number>;
}

/** How long a count is kept after the beginning of its minute, in milliseconds. */
const retentionMs = 120_000;

/** Creates counts in the database, which all processes share. A count takes one command, and is not flushed to disk. */
export function createStoredCounts(connection: Connection): RequestCounts {
  const counts = registeredModel(connection, "request_counts", () =>
    new Schema<RequestCountDocument>(
      {
        _id: { type: String, required: true },
        leased: { type: Number, required: true },
        expiresAt: { type: Date, required: true },
      },
      { versionKey: false },
    ).index({ expiresAt: 1 }, { expireAfterSeconds: 0 }),
  );

  async function add(tokenId: string, minute: number, requests: number): Promise<number> {
    const expiresAt = new Date(minute * 60_000 + retentionMs);
    const before = await counts
      .findOneAndUpdate(
        { _id: `${tokenId} ${minute}` },
        { $inc: { leased: requests }, $setOnInsert: { expiresAt } },
        { upsert: true, returnDocument: "before", writeConcern: { w: 1 } },
      )
      .lean<RequestCountDocument>();
    return before?.leased ?? 0;
  }

  return {
    add: (tokenId, minute, requests) =>
      add(tokenId, minute, requests).catch((error: unknown) => {
        // Two processes inserted the count at the same time.
        if (isDuplicateKey(error)) return add(tokenId, minute, requests);
        throw error;
      }),
  };
}

/** Creates counts in memory, for a process that owns its database. Only those of the latest minute are kept. */
export function createMemoryCounts(): RequestCounts {
  const counts = new Map<string, number>();
  let countedMinute = 0;
  return {
    async add(tokenId, minute, requests) {
      if (minute !== countedMinute) counts.clear();
      countedMinute = minute;
      const before = counts.get(tokenId) ?? 0;
      counts.set(tokenId, before + requests);
      return before;
    },
  };
}
