import type { Field } from "../operations/field.ts";

/** The required project of a command. */
export const projectIdOption = { name: "project-id", value: "ID", description: "the project", required: true } as const;

/** The arguments of commands that name an object by its ID. */
export const ids = {
  classifier: { name: "classifierId", description: "the classifier's ID" },
  route: { name: "routeId", description: "the route's ID" },
  target: { name: "deploymentId", description: "the ID of a model, a deployment or an extraction schema" },
  file: { name: "fileId", description: "the file's ID" },
  extraction: { name: "extractionId", description: "the extraction's ID" },
  execution: { name: "executionId", description: "the run's ID" },
  project: { name: "projectId", description: "the project's ID" },
  team: { name: "teamId", description: "the team's ID" },
  token: { name: "tokenId", description: "the token's ID" },
} as const;

/** The option with the name of an object. */
export function nameOption(of: string, required?: "required"): Field {
  const option = { name: "name", value: "TEXT", description: `the ${of}'s name` };
  return required === undefined ? option : { ...option, required: true };
}
