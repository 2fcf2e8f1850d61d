import type { Logger } from "@switchyard/rpc";
import type { Collection, Connection, Model, mongo } from "mongoose";

/** The interval of progress messages in the log, in milliseconds. */
const progressIntervalMs = 10_000;

/**
 * Creates the missing collections of all models but those in `ready`, and their missing indexes, and adds these models to `ready`. A new database
 * takes one command for each collection, because creating indexes creates the collection.
 */
export async function createCollections(
  connection: Connection,
  ready: Set<Model<unknown>>,
  logger?: Logger,
): Promise<void> {
  const models = Object.values<Model<unknown>>(connection.models).filter((model) => !ready.has(model));
  if (models.length === 0) return;
  const listed = await connection.getClient().db(connection.name).listCollections({}, { nameOnly: true }).toArray();
  const present = new Set(listed.map(({ name }) => name));
  for (const model of models) {
    const wanted = getIndexes(model);
    const { collection } = model;
    if (present.has(collection.name)) await createIndexes(collection, wanted, logger);
    else if (wanted.length > 0) await collection.createIndexes(wanted);
    else await model.createCollection();
    ready.add(model);
  }
}

function getIndexes({ schema }: Model<unknown>): mongo.IndexDescription[] {
  return schema.indexes().map(([key, options]) => ({ name: getName(key), ...options, key }) as mongo.IndexDescription);
}

/**
 * Creates the missing indexes of a collection with one command, so that the database reads each document once for all of them. Logs the start,
 * the progress and the end if the collection has documents. Existing indexes are left unchanged; one that differs from the model is an error of
 * the database.
 */
async function createIndexes(
  collection: Collection,
  wanted: mongo.IndexDescription[],
  logger: Logger | undefined,
): Promise<void> {
  if (wanted.length === 0) return;
  const present = new Set((await collection.indexes()).map(({ name }) => name));
  const indexes = wanted.flatMap(({ name = "" }) => (present.has(name) ? [] : [name]));
  const building = { collection: collection.name, indexes };
  const isLong = indexes.length > 0 && (await collection.findOne({}, { projection: { _id: 1 } })) !== null;
  const startedAt = Date.now();
  const seconds = (): number => Math.round((Date.now() - startedAt) / 1_000);
  if (isLong) logger?.info(building, `Building ${indexes.length} indexes of ${collection.name}`);
  const progress = setInterval(() => {
    logger?.info({ collection: collection.name, seconds: seconds() }, `Still building indexes of ${collection.name}`);
  }, progressIntervalMs);
  try {
    await collection.createIndexes(wanted);
    if (isLong)
      logger?.info({ ...building, seconds: seconds() }, `Built ${indexes.length} indexes of ${collection.name}`);
  } finally {
    clearInterval(progress);
  }
}

/** Returns the default name that MongoDB's drivers give to an index. */
function getName(key: object): string {
  return Object.entries(key).flat().join("_");
}
