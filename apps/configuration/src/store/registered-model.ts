import type { Connection, Model, Schema } from "mongoose";

/** Returns the mongoose model of a collection, which is created if the connection does not have it. */
export function registeredModel<Document>(
  connection: Connection,
  collection: string,
  schema: () => Schema<Document>,
): Model<Document> {
  const known = connection.models[collection] as Model<Document> | undefined;
  return known ?? connection.model<Document>(collection, schema(), collection);
}
