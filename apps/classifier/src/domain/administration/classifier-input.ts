import type {
  AddRouteRequest,
  ClassifierSettings,
  CreateClassifierRequest,
  RouteInput,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { characterCount, validateName } from "@switchyard/text";
import type { Fault } from "@switchyard/text";

/** A route as a request gives it, on its own or with its classifier. */
export type RouteBody = Pick<
  RouteInput | AddRouteRequest,
  "modelId" | "targetDeploymentId" | "name" | "description" | "examples" | "minConfidence" | "enabled"
>;

const bounds = { description: 2000, examples: 20, example: 2000, pages: 100 };

function lengthFault(field: string, text: string, longest: number): Fault[] {
  const length = characterCount(text);
  return length > longest ? [{ field, message: `must have at most ${longest} characters, has ${length}` }] : [];
}

function fractionFault(field: string, value: number | undefined): Fault[] {
  return value === undefined || (value >= 0 && value <= 1) ? [] : [{ field, message: "must be between 0 and 1" }];
}

/** The faults of those values of a route that are given, by REST names. */
export function validateRouteValues(route: Partial<Omit<RouteBody, "modelId">>): Fault[] {
  const { name = "", examples = [] } = route;
  return [
    ...(route.targetDeploymentId === "" ? [{ field: "targetDeploymentId", message: "must be an id or null" }] : []),
    ...(name.trim() === "" ? [] : validateName("name", name)),
    ...lengthFault("description", route.description ?? "", bounds.description),
    ...(examples.length > bounds.examples
      ? [{ field: "examples", message: `must have at most ${bounds.examples} entries, has ${examples.length}` }]
      : []),
    ...examples.flatMap((example, index) => lengthFault(`examples[${index}]`, example, bounds.example)),
    ...fractionFault("minConfidence", route.minConfidence),
  ];
}

/** The faults of a whole route; `prefix` is put before each field's name. */
export function validateRoute(route: RouteBody, prefix = ""): Fault[] {
  const faults = [
    ...(route.modelId === "" ? [{ field: "deploymentId", message: "is required" }] : []),
    ...validateRouteValues(route),
  ];
  return faults.map(({ field, message }) => ({ field: prefix + field, message }));
}

/** How a classifier decides; null means the engine's calibrated default. */
export interface Settings {
  engine: string;
  minConfidence: number | null;
  minMargin: number | null;
  pages: number | null;
}

/** The settings that a request means: what it leaves out is the default. */
export function getSettings(settings: ClassifierSettings | undefined): Settings {
  return {
    engine: "local",
    minConfidence: settings?.minConfidence ?? null,
    minMargin: settings?.minMargin ?? null,
    pages: settings?.pages ?? null,
  };
}

/** The faults of a classifier's settings. */
function validateSettings(settings: ClassifierSettings | undefined): Fault[] {
  if (settings === undefined) return [];
  const { engine, minConfidence, minMargin, pages } = settings;
  return [
    ...(engine === "" || engine === "local" ? [] : [{ field: "settings.engine", message: 'must be "local"' }]),
    ...fractionFault("settings.minConfidence", minConfidence),
    ...fractionFault("settings.minMargin", minMargin),
    ...(pages === undefined || (pages >= 1 && pages <= bounds.pages)
      ? []
      : [{ field: "settings.pages", message: `must be between 1 and ${bounds.pages}` }]),
  ];
}

/** The faults of those values of a classifier that are given. */
export function validateClassifierValues(
  values: Partial<Pick<CreateClassifierRequest, "name" | "description" | "settings">>,
): Fault[] {
  return [
    ...(values.name === undefined ? [] : validateName("name", values.name)),
    ...lengthFault("description", values.description ?? "", bounds.description),
    ...validateSettings(values.settings),
  ];
}

/** The faults of a classifier that is to be created. */
export function validateClassifier(request: CreateClassifierRequest): Fault[] {
  return [
    ...(request.projectId === "" ? [{ field: "projectId", message: "is required" }] : []),
    ...validateClassifierValues(request),
    ...request.routes.flatMap((route, index) => validateRoute(route, `routes[${index}].`)),
  ];
}
