import type { Connection, Model, Schema } from "mongoose";

/** The model of a collection: the one that the connection has already, else a new one. */
export function registeredModel<Document>(
  connection: Connection,
  collection: string,
  schema: () => Schema<Document>,
): Model<Document> {
  const known = connection.models[collection] as Model<Document> | undefined;
  return known ?? connection.model<Document>(collection, schema(), collection);
}
