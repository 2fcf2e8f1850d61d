import mongoose from "mongoose";
import type { ClientSession, Connection } from "mongoose";
import { isDuplicateKey } from "../transactions/duplicate-key.ts";
import { newId } from "../ids.ts";
import { maxClockSkewMs } from "../leases/lease.ts";

/** Whose key it is: a key of one token is nobody else's. */
export interface KeyOwner {
  readonly organizationId: string;
  readonly tokenId: string;
  readonly key: string;
}

/** The right to work on a request: nobody else writes the key's answer while it is held. */
export interface Claim {
  readonly id: string;
  /** Who holds it; a claim that was taken over has another. */
  readonly holder: string;
}

/** What a key says of a request that is to be made. */
export type KeyState =
  | { readonly kind: "claimed"; readonly claim: Claim }
  /** Another request with the key is being worked on; its fingerprint is null while it is still arriving. */
  | { readonly kind: "in use"; readonly fingerprint: string | null }
  /** It was made, and this was its answer; null where the answer is not kept. */
  | { readonly kind: "answered"; readonly fingerprint: string; readonly answer: Uint8Array | null };

/** What is kept with an effect. */
export interface KeptAnswer {
  readonly fingerprint: string;
  /** Null for an answer that is not to be kept. */
  readonly answer: Uint8Array | null;
}

/** The idempotency keys of a service, beside its other documents. */
export interface KeyStore {
  /** Claims a key for a request, or says what became of an earlier one. `fingerprint` is null where it is not known yet. */
  claim(owner: KeyOwner, method: string, fingerprint: string | null): Promise<KeyState>;
  /** Says that the claim is still worked on. */
  extend(claim: Claim): Promise<void>;
  /** Within the transaction of the effect: keeps its answer. False when the claim was taken over: then nothing may be committed. */
  keep(claim: Claim, kept: KeptAnswer, session: ClientSession): Promise<boolean>;
  /** Ends a claim whose answer was kept with what was answered in the end. */
  finish(claim: Claim, answer: Uint8Array | null): Promise<void>;
  /** Ends a claim after a failure: the key is free again, unless the effect is there. */
  release(claim: Claim): Promise<void>;
}

/** How long keys and claims are good for. */
export interface KeyTimes {
  /** The clock, in milliseconds. */
  readonly now: () => number;
  /** How long an answer is kept, in milliseconds. */
  readonly retentionMs: number;
  /** After how long without a sign of life a claim can be taken over, in milliseconds. */
  readonly leaseMs: number;
  /** Whether every other process that ever used the database is known to be gone: its claims can be taken over at once. */
  readonly alone: boolean;
}

interface KeyDocument {
  /** `<token id> <key>` */
  _id: string;
  organizationId: string;
  tokenId: string;
  key: string;
  method: string;
  fingerprint: string | null;
  /** Who works on it, and until when that is believed; null when nobody does. */
  holder: string | null;
  leaseUntil: Date | null;
  /** Whether the effect is there. */
  done: boolean;
  answer: Buffer | null;
  expiresAt: Date;
}

/** How often a key is looked at again that somebody else just changed. */
const patience = 5;
/** How long the transaction that a killed process left open, with the answer in it, is waited for. */
const maxTimeMS = 1_000;

/** Creates the store of keys; `connection` gets the collection `idempotency_keys`. */
export function createKeyStore(connection: Connection, { now, retentionMs, leaseMs, alone }: KeyTimes): KeyStore {
  /** The process, with which the name of every holder begins. */
  const owner = newId("own");
  const keys = connection.model<KeyDocument>("IdempotencyKey", keySchema(), "idempotency_keys");
  const lease = () => new Date(now() + leaseMs);
  const expiry = () => new Date(now() + retentionMs);
  const held = ({ id, holder }: Claim) => ({ _id: id, holder });

  function claimed(method: string, fingerprint: string | null) {
    const free = { done: false, answer: null, expiresAt: expiry() };
    return { method, fingerprint, holder: `${owner} ${newId("clm")}`, leaseUntil: lease(), ...free };
  }

  /** Whether its holder is believed to be at work. A claim that lasts longer than any can was made before the clock was set back. */
  function isHeld({ holder, leaseUntil }: KeyDocument): boolean {
    if (holder === null || leaseUntil === null) return false;
    const leftMs = leaseUntil.getTime() - now();
    if (leftMs <= 0 || leftMs > leaseMs + maxClockSkewMs) return false;
    return !alone || holder.startsWith(`${owner} `);
  }

  async function takeOver(known: KeyDocument, method: string, fingerprint: string | null): Promise<Claim | undefined> {
    const claim = claimed(method, fingerprint);
    // As it was when it was looked at: whoever extended, finished or took it meanwhile was quicker.
    const { _id, holder, leaseUntil, expiresAt } = known;
    const taken = await keys.updateOne({ _id, holder, leaseUntil, expiresAt }, { $set: claim }, { maxTimeMS });
    return taken.matchedCount === 0 ? undefined : { id: _id, holder: claim.holder };
  }

  /** Undefined when it changed meanwhile. */
  async function tryToClaim(
    { organizationId, tokenId, key }: KeyOwner,
    method: string,
    fingerprint: string | null,
  ): Promise<KeyState | undefined> {
    const id = `${tokenId} ${key}`;
    const claim = claimed(method, fingerprint);
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
      return { kind: "answered", fingerprint: known.fingerprint ?? "", answer: toBytes(known.answer) };
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
      for (let attempt = 1; attempt <= patience; attempt += 1) {
        const state = await tryToClaim(owner, method, fingerprint);
        if (state !== undefined) return state;
      }
      return { kind: "in use", fingerprint: null };
    },

    async extend(claim) {
      await keys.updateOne(held(claim), { $set: { leaseUntil: lease() } });
    },

    async keep(claim, { fingerprint, answer }, session) {
      const kept = { fingerprint, done: true, answer: stored(answer), expiresAt: expiry() };
      const { matchedCount } = await keys.updateOne(held(claim), { $set: kept }, { session });
      return matchedCount > 0;
    },

    async finish(claim, answer) {
      const free = { holder: null, leaseUntil: null };
      await keys.updateOne(held(claim), { $set: { answer: stored(answer), ...free } });
    },

    async release(claim) {
      const { deletedCount } = await keys.deleteOne({ ...held(claim), done: false });
      if (deletedCount === 0) await keys.updateOne(held(claim), { $set: { holder: null, leaseUntil: null } });
    },
  };
}

function isTimeout(error: unknown): boolean {
  const maxTimeMSExpired = 50;
  return error instanceof mongoose.mongo.MongoServerError && error.code === maxTimeMSExpired;
}

function stored(answer: Uint8Array | null): Buffer | null {
  return answer === null ? null : Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength);
}

/** Bytes as a document has them that was read without mongoose's own types. */
function toBytes(value: unknown): Uint8Array | null {
  if (value instanceof mongoose.mongo.Binary) return new Uint8Array(value.buffer.subarray(0, value.position));
  return value instanceof Uint8Array ? value : null;
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
      answer: { type: Buffer, default: null },
      expiresAt: { type: Date, required: true },
    },
    { versionKey: false },
  );
  schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });
  return schema;
}
