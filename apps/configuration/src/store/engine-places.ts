import { isDuplicateKey } from "@switchyard/storage";
import { Schema, trusted } from "mongoose";
import type { Connection } from "mongoose";
import { registeredModel } from "./registered-model.ts";

/** The places of an engine that are taken. There is one document for each engine. */
interface EnginePlacesDocument {
  /** The name of the engine. */
  _id: string;
  places: { id: string; until: Date }[];
}

/** Keeps which places of engines are taken. */
export interface EnginePlaces {
  /** Takes a place until a time, unless `parallel` places are taken already. Returns whether it did. Places that have expired are free. */
  take(engine: string, place: { id: string; until: Date }, parallel: number, now: Date): Promise<boolean>;
  free(engine: string, placeId: string): Promise<void>;
}

/** Creates places in the database, which all processes share. Taking one takes two commands, which are not flushed to disk. */
export function createStoredPlaces(connection: Connection): EnginePlaces {
  const writeConcern = { w: 1 } as const;
  const engines = registeredModel(
    connection,
    "engine_places",
    () =>
      new Schema<EnginePlacesDocument>(
        {
          _id: { type: String, required: true },
          places: [new Schema({ id: String, until: Date }, { _id: false })],
        },
        { versionKey: false },
      ),
  );
  return {
    async take(engine, place, parallel, now) {
      await engines.updateOne(
        { _id: engine },
        { $pull: { places: { until: trusted({ $lte: now }) } } },
        { writeConcern },
      );
      // The guard is part of the update, so concurrent calls cannot take more places than there are.
      const isFree = { _id: engine, [`places.${parallel - 1}`]: trusted({ $exists: false }) };
      try {
        await engines.updateOne(isFree, { $push: { places: place } }, { upsert: true, writeConcern });
        return true;
      } catch (error) {
        // All places are taken, so the document of the engine was inserted again. The first two processes may also have inserted it at once.
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async free(engine, placeId) {
      await engines.updateOne({ _id: engine }, { $pull: { places: { id: placeId } } }, { writeConcern });
    },
  };
}
