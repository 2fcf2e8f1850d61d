import type {
  AddRouteRequest,
  ClassifierSettings,
  CreateClassifierRequest,
  RouteInput,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { characterCount, validateName } from "@switchyard/text";
import type { Violation } from "@switchyard/text";

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

/** The settings of a classifier. Null means the calibrated default of the engine. */
export interface Settings {
  engine: string;
  minConfidence: number | null;
  minMargin: number | null;
  pages: number | null;
}

/** Converts the settings of a request. Fields that it leaves out have the default. */
export function toSettings(settings: ClassifierSettings | undefined): Settings {
  return {
    engine: "local",
    minConfidence: settings?.minConfidence ?? null,
    minMargin: settings?.minMargin ?? null,
    pages: settings?.pages ?? null,
  };
}

function validateSettings(settings: ClassifierSettings | undefined): Violation[] {
  if (settings === undefined) return [];
  const { engine, minConfidence, minMargin, pages } = settings;
  return [
    ...(engine === "" || engine === "local" ? [] : [{ field: "settings.engine", message: 'must be "local"' }]),
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
): Violation[] {
  return [
    ...(values.name === undefined ? [] : validateName("name", values.name)),
    ...validateLength("description", values.description ?? "", maxDescriptionLength),
    ...validateSettings(values.settings),
  ];
}

/** Returns the faults of a classifier that is to be created. */
export function validateClassifier(request: CreateClassifierRequest): Violation[] {
  return [
    ...(request.projectId === "" ? [{ field: "projectId", message: "is required" }] : []),
    ...validateClassifierValues(request),
    ...request.routes.flatMap((route, index) => validateRoute(route, `routes[${index}].`)),
  ];
}
