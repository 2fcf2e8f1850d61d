import mongoose from "mongoose";
import type { Connection, Model } from "mongoose";
import type { Settings } from "../domain/administration/classifier-input.ts";
import type { NameClaim } from "../domain/administration/name-claim.ts";

/** The names of a route's target when the route was created or last changed. They stay visible when the target is deleted. */
export interface LastKnownTarget {
  modelName: string;
  deploymentName: string | null;
  projectName: string;
}

/** A route. Routes are embedded in their classifier, so that one update can check duplicates, the scope and the limit. */
export interface RouteDocument {
  id: string;
  name: string;
  description: string;
  modelId: string;
  deploymentId: string | null;
  /** The key of the target (see {@link getTargetKey}), which is unique within a classifier. */
  targetKey: string;
  /** The project of the model, which never changes. */
  projectId: string;
  lastKnown: LastKnownTarget;
  minConfidence: number | null;
  enabled: boolean;
  createdAt: Date;
}

/** A classifier. It is global if and only if its `projectId` is null. */
export interface ClassifierDocument {
  _id: string;
  organizationId: string;
  projectId: string | null;
  name: string;
  description: string;
  settings: Settings;
  routes: RouteDocument[];
  routeCount: number;
  /** The distinct projects of the routes, in order of first use. */
  routeProjectIds: string[];
  /** The projects that list it: its own project, or those of its routes if it is global. One index then serves every list. */
  listedIn: string[];
  classificationCount: number;
  /** The number of classifications by the ID of the route that won. Undefined until the first one. */
  wins?: Record<string, number>;
  /** Whether it may have records without a project although it has one, because it was global before. Absent otherwise. */
  mayHaveUnplacedRecords?: boolean;
  createdAt: Date;
  updatedAt: Date;
  createdBy: string;
}

/** A classifier without the counts, the only fields that classifications change. */
export type ClassifierConfiguration = Omit<ClassifierDocument, "classificationCount" | "wins">;

/** The example texts of a route. They are separate from the classifier, because lists do not need them. */
export interface RouteExamplesDocument {
  /** The ID of the route. */
  _id: string;
  classifierId: string;
  texts: string[];
}

/** The claim of a name. There is one document per organization and folded name, so that concurrent claims of a name conflict. */
export interface NameClaimDocument {
  /** `<organization id>/<folded name>` */
  _id: string;
  globalClassifierId: NameClaim["globalClassifierId"];
  projects: { projectId: string; classifierId: string }[];
}

/** The collections of classifiers. */
export interface ClassifierModels {
  classifiers: Model<ClassifierDocument>;
  examples: Model<RouteExamplesDocument>;
  claims: Model<NameClaimDocument>;
}

const { Schema } = mongoose;

/** The condition of the index of classifiers of a project that have been global, which queries repeat. */
export const mayHaveUnplacedRecords = { mayHaveUnplacedRecords: true } as const;

const routeSchema = new Schema<RouteDocument>(
  {
    id: { type: String, required: true },
    name: { type: String, required: true },
    description: String,
    modelId: { type: String, required: true },
    deploymentId: { type: String, default: null },
    targetKey: { type: String, required: true },
    projectId: { type: String, required: true },
    lastKnown: { modelName: String, deploymentName: { type: String, default: null }, projectName: String },
    minConfidence: { type: Number, default: null },
    enabled: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
  },
  { _id: false, id: false },
);

/** Declares the collections of classifiers, with their indexes, on a connection. */
export function classifierModels(connection: Connection): ClassifierModels {
  const classifier = new Schema<ClassifierDocument>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      projectId: { type: String, default: null },
      name: { type: String, required: true },
      description: String,
      settings: {
        engine: String,
        minConfidence: { type: Number, default: null },
        minMargin: { type: Number, default: null },
        pages: { type: Number, default: null },
        modelName: { type: String, default: null },
        secondOpinion: {
          type: { _id: false, engine: String, modelName: { type: String, default: null } },
          default: null,
        },
      },
      routes: [routeSchema],
      routeCount: { type: Number, required: true },
      routeProjectIds: [String],
      listedIn: [String],
      classificationCount: { type: Number, required: true },
      wins: Schema.Types.Mixed,
      mayHaveUnplacedRecords: Boolean,
      createdAt: { type: Date, required: true },
      updatedAt: { type: Date, required: true },
      createdBy: { type: String, required: true },
    },
    { versionKey: false },
  );
  classifier.index({ organizationId: 1, listedIn: 1, _id: 1 });
  classifier.index({ organizationId: 1, projectId: 1, listedIn: 1 });
  classifier.index({ organizationId: 1, projectId: 1 }, { partialFilterExpression: mayHaveUnplacedRecords });
  classifier.index({ organizationId: 1, "routes.modelId": 1, _id: 1 });
  classifier.index({ organizationId: 1, "routes.deploymentId": 1, _id: 1 });
  const examples = new Schema<RouteExamplesDocument>(
    { _id: { type: String, required: true }, classifierId: { type: String, required: true }, texts: [String] },
    { versionKey: false },
  );
  examples.index({ classifierId: 1 });
  const claim = new Schema<NameClaimDocument>(
    {
      _id: { type: String, required: true },
      globalClassifierId: { type: String, default: null },
      projects: [{ _id: false, projectId: String, classifierId: String }],
    },
    { versionKey: false },
  );
  return {
    classifiers: connection.model<ClassifierDocument>("Classifier", classifier, "classifiers"),
    examples: connection.model<RouteExamplesDocument>("RouteExamples", examples, "route_examples"),
    claims: connection.model<NameClaimDocument>("NameClaim", claim, "name_claims"),
  };
}

/** Returns the key of a target, which is a model or a deployment of it. A classifier has at most one route per target. */
export function getTargetKey(modelId: string, deploymentId: string | null): string {
  return `${modelId}/${deploymentId ?? ""}`;
}

/** Computes the fields that depend on the project and the routes, and that queries use. */
export function deriveFields({
  projectId,
  routes,
}: Pick<ClassifierDocument, "projectId" | "routes">): Pick<
  ClassifierDocument,
  "routeCount" | "routeProjectIds" | "listedIn"
> {
  const routeProjectIds = [...new Set(routes.map((route) => route.projectId))];
  return {
    routeCount: routes.length,
    routeProjectIds,
    listedIn: projectId === null ? routeProjectIds : [projectId],
  };
}
