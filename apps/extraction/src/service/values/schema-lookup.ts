import type { Client } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { LRUCache } from "lru-cache";
import { findSchema } from "../targets.ts";

/** Returns a schema by its ID; null if it was deleted. */
export type SchemaLookup = (schemaId: string) => Promise<Configuration | null>;

/** Creates a lookup that remembers the last 100 schemas, which never change. */
export function createSchemaLookup(targets: Client<typeof TargetService>): SchemaLookup {
  const schemas = new LRUCache<string, { schema: Configuration | null }>({ max: 100 });
  return async (schemaId) => {
    const known = schemas.get(schemaId) ?? { schema: await findSchema(targets, schemaId) };
    schemas.set(schemaId, known);
    return known.schema;
  };
}
