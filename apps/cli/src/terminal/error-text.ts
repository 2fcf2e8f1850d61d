import { ApiError, ConnectionError, TimeoutError } from "@switchyard/client";
import { Failure, UsageError } from "./exit-codes.ts";
import { printable } from "@switchyard/terminal";

/** Hints by the code of an error. `{projectId}` and the like are replaced by words of the command. */
const hints: Readonly<Record<string, string>> = {
  TOKEN_MISSING: "run `switchyard login`, or set SWITCHYARD_TOKEN",
  TOKEN_INVALID: "run `switchyard login`, or set SWITCHYARD_TOKEN to a valid token",
  MISSING_PERMISSION: "`switchyard whoami` shows the permissions of the token; use a token that has the permission",
  PROJECT_OUT_OF_REACH: "`switchyard projects list` shows the projects that the token has access to",
  CLASSIFIER_OUT_OF_REACH: "`switchyard projects list` shows the projects that the token has access to",
  PROJECT_NOT_FOUND: "`switchyard projects list` shows the projects that the token has access to",
  CLASSIFIER_NOT_FOUND: "`switchyard classify list --project-id ID` shows the classifiers of a project",
  DEPLOYMENT_NOT_FOUND:
    "`switchyard deployments list --project-id ID` shows models and deployments; benchmarks and routes take the ID of a model",
  MODEL_OF_ANOTHER_PROJECT:
    "a project-scoped classifier routes only to models of its own project: choose one of them (`switchyard deployments list`), or make the classifier global (`switchyard classify make-global`)",
  DEPLOYMENT_OF_ANOTHER_MODEL:
    "`switchyard deployments list --project-id ID` shows which deployment belongs to which model",
  MODEL_HAS_NO_SCHEMA: "add tables and columns to the model first",
  GLOBAL_CLASSIFIER: "a project-scoped token cannot administer a global classifier: use an organization-scoped token",
  ROUTE_EXISTS: "`switchyard classify routes CLASSIFIER_ID` shows the existing routes",
  CLASSIFIER_NAME_TAKEN: "choose another name",
  NAME_TAKEN: "choose another name",
  STORAGE_FULL: "the operator of the server has to free or add disk space; then repeat the command",
  NO_ACCEPTED_FILES: "accept some files first: `switchyard extractions accept EXTRACTION_ID`",
};

/**
 * Formats an error for people: what it refers to, if that is not the whole command, the message, the invalid fields, a hint, and the ID of
 * the request. The text contains nothing that a terminal would interpret.
 */
export function errorText(error: unknown, red: (text: string) => string, about?: string): string {
  const subject = about === undefined ? "" : `${about}: `;
  const lines = [`${red("error:")} ${printable(`${subject}${getMessage(error)}`)}`];
  if (error instanceof ApiError) {
    // A single violation is already in the detail.
    const violations = error.errors.filter(({ message }) => !error.problem.detail.includes(message));
    for (const { field, message } of violations) lines.push(`  ${printable(`${field}: ${message}`)}`);
    for (const path of getReplacements(error)) lines.push(`  use ${printable(path)}`);
  }
  const hint = getHint(error);
  if (hint !== undefined) lines.push(`  hint: ${hint}`);
  if (error instanceof ApiError && error.requestId !== "") lines.push(`  request ID: ${printable(error.requestId)}`);
  return `${lines.join("\n")}\n`;
}

/** Returns the message of an error in one line, with status and code. */
export function getMessage(error: unknown): string {
  if (error instanceof ApiError) return `${error.problem.detail} (${error.status} ${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

function getHint(error: unknown): string | undefined {
  if (error instanceof UsageError) return "`switchyard COMMAND --help` shows the arguments and options of a command";
  if (error instanceof Failure) return undefined;
  if (error instanceof TimeoutError) return "try again later, or with a longer --timeout";
  if (error instanceof ConnectionError)
    return "check that the server is running (`switchyard-server start`), and that --base-url or SWITCHYARD_BASE_URL is its address";
  if (!(error instanceof ApiError)) return undefined;
  if (Object.hasOwn(hints, error.code)) return hints[error.code];
  if (error.status === 401) return hints["TOKEN_INVALID"];
  if (error.status === 429 || error.status === 503) return "try again in a moment";
  return error.status === 500
    ? "report the request ID to the operator of the server, whose log contains the cause"
    : undefined;
}

/** Returns the replacements of a removed endpoint. */
function getReplacements({ problem }: ApiError): readonly string[] {
  const { replacements } = problem;
  return Array.isArray(replacements) ? replacements.map(String) : [];
}
