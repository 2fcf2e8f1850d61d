import mongoose from "mongoose";
import type { Model, QueryFilter, UpdateQuery } from "mongoose";
import { maxIdsPerLoad } from "./lists/id-parts.ts";

/**
 * Removes all matching documents in batches, so that no command takes long. It runs outside of transactions. What remains after a failure
 * is removed by the next call.
 */
export async function removeInBatches<Document>(model: Model<Document>, filter: QueryFilter<Document>): Promise<void> {
  await changeInBatches(model, filter, (some) => model.deleteMany(some));
}

/**
 * Updates all matching documents in batches, like {@link removeInBatches}. After the update, a document must not match any more; otherwise
 * this does not end.
 */
export async function updateInBatches<Document>(
  model: Model<Document>,
  filter: QueryFilter<Document>,
  update: UpdateQuery<Document>,
): Promise<void> {
  await changeInBatches(model, filter, (some) => model.updateMany({ ...filter, ...some }, update));
}

async function changeInBatches<Document>(
  model: Model<Document>,
  filter: QueryFilter<Document>,
  change: (some: QueryFilter<Document>) => PromiseLike<unknown>,
): Promise<void> {
  for (let found = maxIdsPerLoad; found === maxIdsPerLoad;) {
    const batch = await model.find(filter, { _id: 1 }).limit(maxIdsPerLoad).lean();
    const ids = batch.map((each) => (each as { _id?: unknown })._id);
    if (ids.length > 0) await change({ _id: mongoose.trusted({ $in: ids }) });
    found = batch.length;
  }
}
