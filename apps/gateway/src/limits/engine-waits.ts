import { getProblemFacts } from "@switchyard/rpc";

/** Remembers the classifiers whose documents wait for language models. */
export interface EngineClassifiers {
  /** Whether a request is for such a classifier. */
  has(request: unknown): boolean;
  note(request: unknown): void;
}

/** How long a classifier is remembered, in milliseconds, and how many are. */
const memory = { ms: 600_000, classifiers: 10_000 };

/** Creates a memory of the classifiers of the last ten minutes. */
export function createEngineClassifiers(): EngineClassifiers {
  // In the order of their times.
  const notedAt = new Map<string, number>();
  return {
    has(request) {
      const at = notedAt.get(getClassifierId(request));
      return at !== undefined && performance.now() - at < memory.ms;
    },
    note(request) {
      const id = getClassifierId(request);
      if (id === "") return;
      notedAt.delete(id);
      notedAt.set(id, performance.now());
      const [oldest] = notedAt.keys();
      if (notedAt.size > memory.classifiers && oldest !== undefined) notedAt.delete(oldest);
    },
  };
}

function getClassifierId(request: unknown): string {
  const classifierId = (request as { classifierId?: unknown } | undefined)?.classifierId;
  return typeof classifierId === "string" ? classifierId : "";
}

/** Whether a call failed because a language model gave no answer. */
export function failedByEngine(error: unknown): boolean {
  return isEngineCode(getProblemFacts(error).reason);
}

/** Whether a response needed a language model: then it contains the usage. In a batch, one document is enough. */
export function neededEngine(message: unknown): boolean {
  const { usage, results } = message as { usage?: unknown; results?: unknown };
  if (usage !== undefined) return true;
  return Array.isArray(results) && results.some(isResultOfEngine);
}

function isResultOfEngine(result: unknown): boolean {
  const { classification, problem } = result as { classification?: { usage?: unknown }; problem?: { code?: unknown } };
  return classification?.usage !== undefined || isEngineCode(problem?.code);
}

function isEngineCode(code: unknown): boolean {
  return typeof code === "string" && code.startsWith("ENGINE_");
}
