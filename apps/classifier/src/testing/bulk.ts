import { connectStorage, newId } from "@switchyard/storage";
import { foldName } from "@switchyard/text";
import { databaseName } from "../index.ts";
import { classifierModels, derivedFields, getTargetKey } from "../store/classifier-document.ts";
import type { ClassifierDocument, NameClaimDocument, RouteDocument } from "../store/classifier-document.ts";

/** A model that routes lead to. */
export interface BulkTarget {
  modelId: string;
  projectId: string;
}

/** A kind of classifiers of an organization. */
export interface BulkKind {
  organizationId: string;
  /** The owning project; null for global ones. */
  projectId: string | null;
  /** What each routes to. */
  targets: readonly BulkTarget[];
}

const batch = 1_000;

/**
 * Writes so many classifiers, of these kinds in turn, straight into the database of the service, with the claims of their names, as
 * the store would: by the thousand, for measurements and for tests that need very many.
 */
export async function insertClassifiers(uri: string, kinds: readonly BulkKind[], count: number): Promise<void> {
  const storage = await connectStorage({ uri, database: databaseName });
  try {
    const models = classifierModels(storage.connection);
    await storage.ready();
    for (let done = 0; done < count; done += batch) {
      const documents = Array.from({ length: Math.min(batch, count - done) }, (_, index) =>
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
  const routes = targets.map(({ modelId, projectId: ofModel }): RouteDocument => ({
    id: newId("rte"),
    name: modelId,
    description: "",
    modelId,
    deploymentId: null,
    targetKey: getTargetKey(modelId, null),
    projectId: ofModel,
    lastKnown: { modelName: modelId, deploymentName: null, projectName: ofModel },
    minConfidence: null,
    enabled: true,
    createdAt: at,
  }));
  return {
    ...{ _id, organizationId, projectId, name: _id, description: "", routes, ...derivedFields({ projectId, routes }) },
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
