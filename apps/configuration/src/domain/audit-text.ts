const maxTargetLength = 200;
const secretShape = /sw[op]_[0-9A-Za-z]{36}/g;

/** Methods whose names do not say what they act on, or say it otherwise than the API's paths do. */
const namedOtherwise: Readonly<Record<string, string>> = {
  Pause: "deployment.pause",
  Resume: "deployment.resume",
  UpdateModelOrDeployment: "deployment.update",
  DeleteModelOrDeployment: "deployment.delete",
  MakeGlobal: "classifier.makeGlobal",
  MakeProjectScoped: "classifier.makeProjectScoped",
  AcceptExtraction: "acceptedValues.accept",
};

/** What the audit trail calls a method: its object and its verb, "CreateToken" is "token.create". */
export function getAction(methodName: string): string {
  if (Object.hasOwn(namedOtherwise, methodName)) return namedOtherwise[methodName] ?? "";
  const [, verb = "", object = ""] = /^([A-Z][a-z]*)(.*)$/.exec(methodName) ?? [];
  return `${uncapitalized(object)}.${uncapitalized(verb)}`;
}

/** A text without the secrets of tokens that somebody put where none belong. */
export function withoutSecrets(text: string): string {
  return text.replace(secretShape, "[secret]");
}

/** An id as it may stand in the audit trail, whatever somebody sent for one: at most 200 characters, no secret; null for none. */
export function targetText(id: string | undefined): string | null {
  if (id === undefined || id === "") return null;
  return [...withoutSecrets(id)].slice(0, maxTargetLength).join("");
}

function uncapitalized(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}
