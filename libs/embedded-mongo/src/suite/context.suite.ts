import type { Collection, Document, MongoClient } from "mongodb";
import type mongoose from "mongoose";

/** What the parts of the suite share; functions, because the values are there only when a test runs. */
export interface SuiteContext {
  client(): MongoClient;
  connection(): mongoose.Connection;
  /** A collection of the test's own. */
  things(): Collection<Document>;
  /** A number of the test's own. */
  count(): number;
  /** The ids that a query finds in `things`, in the order of the sort. */
  ids(query: Document, sort?: Document): Promise<unknown[]>;
}
