import { Schema } from "mongoose";
import type { ClientSession, Connection, Model } from "mongoose";

/** Counts what organizations have, in the transactions that change it. `Kind` is what is counted. */
export interface Usage<Kind extends string> {
  /**
   * Adds to the counts of an organization, and returns them. It must follow the writes that it counts, in the same transaction, so that
   * such transactions of one organization are serialized.
   */
  change(
    organizationId: string,
    changes: Readonly<Partial<Record<Kind, number>>>,
    session: ClientSession,
  ): Promise<Readonly<Record<Kind, number>>>;
}

/** Counts everything that an organization has, within a transaction. */
export type CountUsage<Kind extends string> = (
  organizationId: string,
  session: ClientSession,
) => Promise<Record<Kind, number>>;

/**
 * Creates the counts of organizations in the database of a service. A change takes one command. The first change of an organization counts
 * what it already has with `count`. Call it before the storage is made ready.
 */
export function createUsage<Kind extends string>(
  connection: Connection,
  kinds: readonly Kind[],
  count: CountUsage<Kind>,
): Usage<Kind> {
  const fields = Object.fromEntries(kinds.map((kind) => [kind, { type: Number, required: true }]));
  const schema = new Schema({ _id: { type: String, required: true }, ...fields }, { versionKey: false });
  const known = connection.models["usage"] as Model<{ _id: string }> | undefined;
  const usage = known ?? connection.model<{ _id: string }>("usage", schema as Schema<{ _id: string }>, "usage");
  return {
    async change(organizationId, changes, session) {
      const changed = await usage
        .findOneAndUpdate({ _id: organizationId }, { $inc: changes }, { returnDocument: "after", session })
        .lean<Record<Kind, number>>();
      if (changed !== null) return changed;
      // The count already contains the writes of this transaction.
      const counted = await count(organizationId, session);
      await usage.create([{ _id: organizationId, ...counted }], { session });
      return counted;
    },
  };
}
