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
 * Creates a function that prints the problem of an error as JSON, as `toProblem` makes it. The error is printed once; only what depends on
 * the request is inserted later.
 */
export function createProblemPrinter(error: Error): (request: RequestFacts) => string {
  const printed = JSON.stringify(toProblem(getProblemFacts(error), placeholders));
  const [start, rest = ""] = printed.split(JSON.stringify(placeholders.instance));
  const [middle, end] = rest.split(JSON.stringify(placeholders.requestId));
  return ({ instance, requestId }) => `${start}${JSON.stringify(instance)}${middle}${JSON.stringify(requestId)}${end}`;
}
