import mongoose from "mongoose";
import type { Model, QueryFilter } from "mongoose";

/** The number of documents that one command removes. The embedded store finds this many ids by an index. */
const batch = 200;

/**
 * Removes all matching documents in batches, so that no command takes long. It runs outside of transactions. What remains after a failure
 * is removed by the next call.
 */
export async function removeInBatches<Document>(model: Model<Document>, filter: QueryFilter<Document>): Promise<void> {
  for (;;) {
    const found = await model.find(filter, { _id: 1 }).limit(batch).lean();
    if (found.length === 0) return;
    const ids = found.map((each) => (each as { _id?: unknown })._id);
    await model.deleteMany({ _id: mongoose.trusted({ $in: ids }) } as QueryFilter<Document>);
    if (found.length < batch) return;
  }
}
