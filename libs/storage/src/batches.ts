import mongoose from "mongoose";
import type { Model, QueryFilter } from "mongoose";

/** How many documents one command removes. The embedded store looks up so many ids by the index. */
const batch = 200;

/**
 * Removes all documents that match, some in each command, so that no command takes long, however many there are. Outside of
 * transactions; what a failure leaves is removed by the next call.
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
