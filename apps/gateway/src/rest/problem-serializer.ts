import { toProblem } from "@switchyard/rest";
import { getProblemFacts } from "@switchyard/rpc";

/** The members of a problem that depend on its request. */
interface RequestFacts {
  readonly instance: string;
  readonly requestId: string;
}

/** Texts that occur nowhere else in a problem. */
const placeholders = { instance: "{instance}", requestId: "{requestId}" } satisfies RequestFacts;

/**
 * Creates a function that serializes the problem of an error, as `toProblem` creates it, to JSON. The problem is serialized once; only the
 * members that depend on the request are inserted later.
 */
export function createProblemSerializer(error: Error): (request: RequestFacts) => string {
  const printed = JSON.stringify(toProblem(getProblemFacts(error), placeholders));
  const [start, rest = ""] = printed.split(JSON.stringify(placeholders.instance));
  const [middle, end] = rest.split(JSON.stringify(placeholders.requestId));
  return ({ instance, requestId }) => `${start}${JSON.stringify(instance)}${middle}${JSON.stringify(requestId)}${end}`;
}
