import { createUsage } from "@switchyard/storage";
import type { Usage } from "@switchyard/storage";
import type { Connection } from "mongoose";
import { configurationModels } from "./configuration-documents.ts";

/** How many models and versions of schemas organizations have. */
export type ModelUsage = Usage<"models" | "schemaVersions">;

/** Creates the counts of models and schemas in a service's database. */
export function createModelUsage(connection: Connection): ModelUsage {
  const { models, schemas } = configurationModels(connection);
  return createUsage(connection, ["models", "schemaVersions"], async (organizationId, session) => ({
    models: await models.countDocuments({ organizationId }, { session }),
    schemaVersions: await schemas.countDocuments({ organizationId }, { session }),
  }));
}
