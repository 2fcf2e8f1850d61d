import type { Case } from "./case.ts";
import { runMatch, runTemplate } from "./paths.ts";
import { createRequestRunner, runJson, runRule } from "./requests.ts";

/** Creates the runner of cases. It returns how the result of a case differs from the fact; undefined if it does not. */
export function createRunner(): (fact: Case) => string | undefined {
  const runRequest = createRequestRunner();
  return (fact) => {
    switch (fact.kind) {
      case "template":
        return runTemplate(fact);
      case "match":
        return runMatch(fact);
      case "request":
        return runRequest(fact);
      case "json":
        return runJson(fact);
      case "rule":
        return runRule(fact);
    }
  };
}
