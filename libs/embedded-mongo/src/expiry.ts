import type { Engine } from "./engine.ts";
import { parseFilter } from "./filter.ts";
import { WaitForTransaction } from "./transactions.ts";

const mostAtOnce = 200;

/**
 * Removes documents whose TTL index says that they are over, up to 200 an index and call. Documents that an open
 * transaction changed wait for the next call.
 */
export function removeExpired(engine: Engine, now: Date): void {
  for (const collection of engine.catalog.list()) {
    for (const { definition } of collection.indexes) {
      const [field] = definition.fields;
      if (definition.expireAfterSeconds === undefined || field === undefined) continue;
      const expired = { [field.name]: { $lt: new Date(now.getTime() - definition.expireAfterSeconds * 1000) } };
      const filter = parseFilter({ $and: [expired, definition.specification["partialFilterExpression"] ?? {}] });
      const found = [...engine.query(undefined, collection, { filter, sort: [], skip: 0, limit: mostAtOnce })];
      for (const each of found) {
        try {
          engine.sqlite.unit(() => engine.documents.remove(undefined, collection, each));
        } catch (error) {
          if (!(error instanceof WaitForTransaction)) throw error;
        }
      }
    }
  }
}
