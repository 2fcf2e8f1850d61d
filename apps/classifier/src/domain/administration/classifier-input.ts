import type {
  AddRouteRequest,
  ClassifierSettings,
  CreateClassifierRequest,
  RouteInput,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { characterCount, validateName } from "@switchyard/text";
import type { Violation } from "@switchyard/text";
import { isBuiltIn } from "../engines/engines.ts";
import { localEngine } from "../engines/local/local-engine.ts";

/** A route in a request that adds it or creates its classifier. */
export type RouteBody = Pick<
  RouteInput | AddRouteRequest,
  "modelId" | "targetDeploymentId" | "name" | "description" | "examples" | "minConfidence" | "enabled"
>;

const maxDescriptionLength = 2000;
const maxExamples = 20;
const maxExampleLength = 2000;
const maxPages = 100;

function validateLength(field: string, text: string, maxLength: number): Violation[] {
  const length = characterCount(text);
  return length > maxLength ? [{ field, message: `must have at most ${maxLength} characters, has ${length}` }] : [];
}

function validateFraction(field: string, value: number | undefined): Violation[] {
  return value === undefined || (value >= 0 && value <= 1) ? [] : [{ field, message: "must be between 0 and 1" }];
}

/** Returns the faults of the given values of a route, with the field names of REST. */
export function validateRouteValues(route: Partial<Omit<RouteBody, "modelId">>): Violation[] {
  const { name = "", examples = [] } = route;
  return [
    ...(route.targetDeploymentId === "" ? [{ field: "targetDeploymentId", message: "must be an id or null" }] : []),
    ...(name.trim() === "" ? [] : validateName("name", name)),
    ...validateLength("description", route.description ?? "", maxDescriptionLength),
    ...(examples.length > maxExamples
      ? [{ field: "examples", message: `must have at most ${maxExamples} entries, has ${examples.length}` }]
      : []),
    ...examples.flatMap((example, index) => validateLength(`examples[${index}]`, example, maxExampleLength)),
    ...validateFraction("minConfidence", route.minConfidence),
  ];
}

/** Returns the faults of a route. `prefix` is the prefix of field names. */
export function validateRoute(route: RouteBody, prefix = ""): Violation[] {
  const violations = [
    ...(route.modelId === "" ? [{ field: "deploymentId", message: "is required" }] : []),
    ...validateRouteValues(route),
  ];
  return violations.map(({ field, message }) => ({ field: prefix + field, message }));
}

/** An engine, and one of its language models. */
export interface EngineSetting {
  engine: string;
  /** Null for the first model of the engine, and for the local engine. */
  modelName: string | null;
}

/** The settings of a classifier. Null means the calibrated default of the engine. */
export interface Settings {
  engine: string;
  /** Null for the first model of the engine, and for the local engine. Absent in classifiers of earlier versions. */
  modelName?: string | null;
  minConfidence: number | null;
  minMargin: number | null;
  pages: number | null;
  /** The engine that is asked where the first one leaves a document without a route. Absent in classifiers of earlier versions. */
  secondOpinion?: EngineSetting | null;
}

/** The names of the language models of an engine that may be named besides the local one; undefined if there is none of this name. */
export type FindModels = (engine: string) => readonly string[] | undefined;

/** Adds to the engines that may be named those that settings name already: an engine that the operator has removed may stay. */
export function keepEngines(findModels: FindModels, { engine, modelName, secondOpinion }: Settings): FindModels {
  const own = [{ engine, modelName }, ...(secondOpinion ? [secondOpinion] : [])];
  return (name) => {
    const kept = own.flatMap((each) => (each.engine === name ? [each.modelName ?? []].flat() : []));
    const models = findModels(name);
    return models !== undefined || own.some((each) => each.engine === name) ? [...(models ?? []), ...kept] : undefined;
  };
}

/** Converts the settings of a request. Fields that it leaves out have the default. */
export function toSettings(settings: ClassifierSettings | undefined): Settings {
  return {
    engine: settings === undefined || settings.engine === "" ? localEngine : settings.engine,
    modelName: settings?.modelName ?? null,
    minConfidence: settings?.minConfidence ?? null,
    minMargin: settings?.minMargin ?? null,
    pages: settings?.pages ?? null,
    secondOpinion:
      settings?.secondOpinion === undefined
        ? null
        : { engine: settings.secondOpinion.engine, modelName: settings.secondOpinion.modelName ?? null },
  };
}

/** Returns the faults of the choice of an engine. */
function validateEngine(
  prefix: string,
  { engine, modelName }: { readonly engine: string; readonly modelName?: string | undefined },
  findModels: FindModels,
): Violation[] {
  if (isBuiltIn(engine)) {
    return modelName === undefined
      ? []
      : [{ field: `${prefix}modelName`, message: "must be null for an engine that has no models" }];
  }
  const models = findModels(engine);
  if (models === undefined) {
    return [{ field: `${prefix}engine`, message: "must be an engine that the organization may use" }];
  }
  return modelName === undefined || models.includes(modelName)
    ? []
    : [{ field: `${prefix}modelName`, message: "must be a model of the engine" }];
}

function validateSettings(settings: ClassifierSettings | undefined, findModels: FindModels): Violation[] {
  if (settings === undefined) return [];
  const { engine, modelName, minConfidence, minMargin, pages, secondOpinion } = settings;
  return [
    ...validateEngine("settings.", { engine: engine === "" ? localEngine : engine, modelName }, findModels),
    ...(secondOpinion === undefined
      ? []
      : secondOpinion.engine === ""
        ? [{ field: "settings.secondOpinion.engine", message: "is required" }]
        : validateEngine("settings.secondOpinion.", secondOpinion, findModels)),
    ...validateFraction("settings.minConfidence", minConfidence),
    ...validateFraction("settings.minMargin", minMargin),
    ...(pages === undefined || (pages >= 1 && pages <= maxPages)
      ? []
      : [{ field: "settings.pages", message: `must be between 1 and ${maxPages}` }]),
  ];
}

/** Returns the faults of the given values of a classifier. */
export function validateClassifierValues(
  values: Partial<Pick<CreateClassifierRequest, "name" | "description" | "settings">>,
  findModels: FindModels,
): Violation[] {
  return [
    ...(values.name === undefined ? [] : validateName("name", values.name)),
    ...validateLength("description", values.description ?? "", maxDescriptionLength),
    ...validateSettings(values.settings, findModels),
  ];
}

/** Returns the faults of a classifier that is to be created. */
export function validateClassifier(request: CreateClassifierRequest, findModels: FindModels): Violation[] {
  return [
    ...(request.projectId === "" ? [{ field: "projectId", message: "is required" }] : []),
    ...validateClassifierValues(request, findModels),
    ...request.routes.flatMap((route, index) => validateRoute(route, `routes[${index}].`)),
  ];
}
