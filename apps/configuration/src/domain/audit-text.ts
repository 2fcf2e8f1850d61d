const maxTargetLength = 200;
const secretShape = /sw[op]_[0-9A-Za-z]{36}/g;

/** Methods whose action cannot be derived from their names. */
const irregularActions: Readonly<Record<string, string>> = {
  Pause: "deployment.pause",
  Resume: "deployment.resume",
  UpdateModelOrDeployment: "deployment.update",
  DeleteModelOrDeployment: "deployment.delete",
  MakeGlobal: "classifier.makeGlobal",
  MakeProjectScoped: "classifier.makeProjectScoped",
  AcceptExtraction: "acceptedValues.accept",
  ExtractAll: "job.extractAll",
};

/** Returns the action of a method in the audit trail: its object and its verb. "CreateToken" is "token.create". */
export function getAction(methodName: string): string {
  if (Object.hasOwn(irregularActions, methodName)) return irregularActions[methodName] ?? "";
  const [, verb = "", object = ""] = /^([A-Z][a-z]*)((?:[^a-z].*)?)$/.exec(methodName) ?? [];
  return `${uncapitalized(object)}.${uncapitalized(verb)}`;
}

/** Removes the secrets of tokens from a text. */
export function withoutSecrets(text: string): string {
  return text.replace(secretShape, "[secret]");
}

/** Returns an id for the audit trail, whatever the caller sent: at most 200 characters, without secrets, or null if there is none. */
export function targetText(id: string | undefined): string | null {
  if (id === undefined || id === "") return null;
  return [...withoutSecrets(id)].slice(0, maxTargetLength).join("");
}

function uncapitalized(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
