import { createUsage } from "@switchyard/storage";
import type { Usage } from "@switchyard/storage";
import type { Connection } from "mongoose";
import type { ClassifierModels } from "./classifier-document.ts";

/** How many classifiers organizations have. */
export type ClassifierUsage = Usage<"classifiers">;

/** Creates the counts of classifiers in a service's database. */
export function createClassifierUsage(
  connection: Connection,
  { classifiers }: Pick<ClassifierModels, "classifiers">,
): ClassifierUsage {
  return createUsage(connection, ["classifiers"], async (organizationId, session) => ({
    classifiers: await classifiers.countDocuments({ organizationId }, { session }),
  }));
}
