import mongoose from "mongoose";
import type { ClientSession, Connection } from "mongoose";
import { toBuffer, toBytes } from "../binary.ts";
import { isDuplicateKey } from "../transactions/duplicate-key.ts";
import { newId } from "../ids.ts";
import { maxClockSkewMs } from "../leases/lease.ts";

/** The owner of a key. Keys of different tokens are independent. */
export interface KeyOwner {
  readonly organizationId: string;
  readonly tokenId: string;
  readonly key: string;
}

/** The right to process a request. While it is held, nobody else writes the response of the key. */
export interface Claim {
  readonly id: string;
  /** The holder. A claim that was taken over has another one. */
  readonly holder: string;
}

/** The state of a key for a new request. */
export type KeyState =
  | { readonly kind: "claimed"; readonly claim: Claim }
  /** Another request with the key is being processed. Its fingerprint is null while it is still arriving. */
  | { readonly kind: "in use"; readonly fingerprint: string | null }
  /** The request was processed. The response is null if it is not stored. */
  | { readonly kind: "done"; readonly fingerprint: string; readonly response: Uint8Array | null };

/** The response that is stored with an effect. */
export interface KeptAnswer {
  readonly fingerprint: string;
  /** Null for a response that must not be stored. */
  readonly response: Uint8Array | null;
}

/** The idempotency keys of a service, in its database. */
export interface KeyStore {
  /** Claims a key for a request, or returns the state of an earlier request. `fingerprint` is null if it is not known yet. */
  claim(owner: KeyOwner, method: string, fingerprint: string | null): Promise<KeyState>;
  /** Renews the lease of a claim. */
  extend(claim: Claim): Promise<void>;
  /**
   * Stores the response within the transaction of the effect. Returns false if the claim was taken over, in which case nothing may be
   * committed.
   */
  keep(claim: Claim, kept: KeptAnswer, session: ClientSession): Promise<boolean>;
  /** Ends a claim whose response was stored, and stores the final response. */
  finish(claim: Claim, response: Uint8Array | null): Promise<void>;
  /** Ends a claim after a failure. The key is free again, unless the effect was committed. */
  release(claim: Claim): Promise<void>;
}

/** The times of keys and claims. */
export interface KeyTimes {
  /** Returns the current time in milliseconds. */
  readonly now: () => number;
  /** The time for which a response is stored, in milliseconds. */
  readonly retentionMs: number;
  /** The time without a renewal after which a claim can be taken over, in milliseconds. */
  readonly leaseMs: number;
  /** Whether all other processes that used the database have ended. Their claims can then be taken over at once. */
  readonly exclusive: boolean;
}

interface KeyDocument {
  /** `<token id> <key>` */
  _id: string;
  organizationId: string;
  tokenId: string;
  key: string;
  method: string;
  fingerprint: string | null;
  /** The holder, and the end of its lease; null if there is none. */
  holder: string | null;
  leaseUntil: Date | null;
  /** Whether the effect was committed. */
  done: boolean;
  response: Buffer | null;
  expiresAt: Date;
}

/** The maximum number of attempts to claim a key that others change at the same time. */
const maxClaimAttempts = 5;
/** The time to wait for an open transaction of a killed process that contains the response. */
const maxTimeMS = 1_000;

/** Creates the store of keys in the collection `idempotency_keys` of the connection. */
export function createKeyStore(connection: Connection, { now, retentionMs, leaseMs, exclusive }: KeyTimes): KeyStore {
  /** The identifier of this process, with which the names of its holders begin. */
  const owner = newId("own");
  const keys = connection.model<KeyDocument>("IdempotencyKey", keySchema(), "idempotency_keys");
  const getLeaseEnd = () => new Date(now() + leaseMs);
  const getExpiry = () => new Date(now() + retentionMs);
  const toHeldFilter = ({ id, holder }: Claim) => ({ _id: id, holder });

  function createClaimFields(method: string, fingerprint: string | null) {
    const free = { done: false, response: null, expiresAt: getExpiry() };
    return { method, fingerprint, holder: `${owner} ${newId("clm")}`, leaseUntil: getLeaseEnd(), ...free };
  }

  /** Whether the lease is valid. A lease that is longer than possible was taken before the clock was set back. */
  function isHeld({ holder, leaseUntil }: KeyDocument): boolean {
    if (holder === null || leaseUntil === null) return false;
    const leftMs = leaseUntil.getTime() - now();
    if (leftMs <= 0 || leftMs > leaseMs + maxClockSkewMs) return false;
    return !exclusive || holder.startsWith(`${owner} `);
  }

  async function takeOver(known: KeyDocument, method: string, fingerprint: string | null): Promise<Claim | undefined> {
    const claim = createClaimFields(method, fingerprint);
    // Only the document that was read is changed. If it was extended, finished or taken over meanwhile, the claim fails.
    const { _id, holder, leaseUntil, expiresAt } = known;
    const taken = await keys.updateOne({ _id, holder, leaseUntil, expiresAt }, { $set: claim }, { maxTimeMS });
    return taken.matchedCount === 0 ? undefined : { id: _id, holder: claim.holder };
  }

  /** Returns undefined if the key changed meanwhile. */
  async function tryToClaim(
    { organizationId, tokenId, key }: KeyOwner,
    method: string,
    fingerprint: string | null,
  ): Promise<KeyState | undefined> {
    const id = `${tokenId} ${key}`;
    const claim = createClaimFields(method, fingerprint);
    try {
      await keys.create([{ _id: id, organizationId, tokenId, key, ...claim }]);
      return { kind: "claimed", claim: { id, holder: claim.holder } };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const known = await keys.findOne({ _id: id }).lean<KeyDocument>();
    if (known === null) return undefined;
    const time = new Date(now());
    if (isHeld(known)) return { kind: "in use", fingerprint: known.fingerprint };
    if (known.done && known.expiresAt > time) {
      const response = known.response && toBytes(known.response);
      return { kind: "done", fingerprint: known.fingerprint ?? "", response };
    }
    try {
      const taken = await takeOver(known, method, fingerprint);
      return taken === undefined ? undefined : { kind: "claimed", claim: taken };
    } catch (error) {
      if (!isTimeout(error)) throw error;
      return { kind: "in use", fingerprint: known.fingerprint };
    }
  }

  return {
    async claim(owner, method, fingerprint) {
      for (let attempt = 1; attempt <= maxClaimAttempts; attempt += 1) {
        const state = await tryToClaim(owner, method, fingerprint);
        if (state !== undefined) return state;
      }
      return { kind: "in use", fingerprint: null };
    },

    async extend(claim) {
      await keys.updateOne(toHeldFilter(claim), { $set: { leaseUntil: getLeaseEnd() } });
    },

    async keep(claim, { fingerprint, response }, session) {
      const kept = { fingerprint, done: true, response: response && toBuffer(response), expiresAt: getExpiry() };
      const { matchedCount } = await keys.updateOne(toHeldFilter(claim), { $set: kept }, { session });
      return matchedCount > 0;
    },

    async finish(claim, response) {
      const free = { holder: null, leaseUntil: null };
      await keys.updateOne(toHeldFilter(claim), { $set: { response: response && toBuffer(response), ...free } });
    },

    async release(claim) {
      const { deletedCount } = await keys.deleteOne({ ...toHeldFilter(claim), done: false });
      if (deletedCount === 0) await keys.updateOne(toHeldFilter(claim), { $set: { holder: null, leaseUntil: null } });
    },
  };
}

function isTimeout(error: unknown): boolean {
  const maxTimeMSExpired = 50;
  return error instanceof mongoose.mongo.MongoServerError && error.code === maxTimeMSExpired;
}

function keySchema(): mongoose.Schema<KeyDocument> {
  const text = { type: String, required: true } as const;
  const schema = new mongoose.Schema<KeyDocument>(
    {
      _id: text,
      organizationId: text,
      tokenId: text,
      key: text,
      method: text,
      fingerprint: { type: String, default: null },
      holder: { type: String, default: null },
      leaseUntil: { type: Date, default: null },
      done: { type: Boolean, required: true },
      response: { type: Buffer, default: null },
      expiresAt: { type: Date, required: true },
    },
    { versionKey: false },
  );
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  return schema;
}
