import { connectStorage, newId } from "@switchyard/storage";
import { foldName } from "@switchyard/text";
import { databaseName } from "../index.ts";
import { classifierModels, deriveFields, getTargetKey } from "../store/classifier-document.ts";
import type { ClassifierDocument, NameClaimDocument, RouteDocument } from "../store/classifier-document.ts";

/** A model that is the target of routes. */
export interface BulkTarget {
  modelId: string;
  projectId: string;
}

/** Describes classifiers that are alike. */
export interface BulkKind {
  organizationId: string;
  /** The owning project, or null for global classifiers. */
  projectId: string | null;
  /** The targets of each classifier. */
  targets: readonly BulkTarget[];
}

const batchSize = 1_000;

/**
 * Inserts `count` classifiers, of these kinds in turn, into the database of the service, with the claims of their names, as the store
 * would. It writes batches, for measurements and tests that need many classifiers.
 */
export async function insertClassifiers(uri: string, kinds: readonly BulkKind[], count: number): Promise<void> {
  const storage = await connectStorage({ uri, database: databaseName });
  try {
    const models = classifierModels(storage.connection);
    await storage.ready();
    for (let inserted = 0; inserted < count; inserted += batchSize) {
      const documents = Array.from({ length: Math.min(batchSize, count - inserted) }, (_, index) =>
        createClassifierDocument(kinds[index % kinds.length] as BulkKind),
      );
      await models.claims.insertMany(documents.map(createClaim));
      await models.classifiers.insertMany(documents);
    }
  } finally {
    await storage.close();
  }
}

function createClassifierDocument({ organizationId, projectId, targets }: BulkKind): ClassifierDocument {
  const _id = newId("clf");
  const at = new Date();
  const routes = targets.map(({ modelId, projectId: modelProjectId }): RouteDocument => ({
    id: newId("rte"),
    name: modelId,
    description: "",
    modelId,
    deploymentId: null,
    targetKey: getTargetKey(modelId, null),
    projectId: modelProjectId,
    lastKnown: { modelName: modelId, deploymentName: null, projectName: modelProjectId },
    minConfidence: null,
    enabled: true,
    createdAt: at,
  }));
  return {
    ...{ _id, organizationId, projectId, name: _id, description: "", routes, ...deriveFields({ projectId, routes }) },
    settings: { engine: "local", minConfidence: null, minMargin: null, pages: null },
    ...{ classificationCount: 0, createdAt: at, updatedAt: at, createdBy: "usr_bulk" },
  };
}

function createClaim({ _id, organizationId, projectId, name }: ClassifierDocument): NameClaimDocument {
  return {
    _id: `${organizationId}/${foldName(name)}`,
    globalClassifierId: projectId === null ? _id : null,
    projects: projectId === null ? [] : [{ projectId, classifierId: _id }],
  };
}
