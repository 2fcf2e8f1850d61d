import type { Message } from "@bufbuild/protobuf";
import type { ConnectError, HandlerContext } from "@connectrpc/connect";
import { toNote } from "@switchyard/change-feed";
import { notFound } from "@switchyard/rpc";
import type { AuditedChange } from "../../domain/administration/audited-change.ts";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import type { Verdict } from "../../store/classifiers.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertAdministrable, findClassifier } from "../lookup.ts";
import { nameTaken } from "../refusals.ts";

/** A change that is ready to be made. Neither function asks anybody: both are called inside the transaction. */
export interface PreparedChange<Answer> {
  /** What shall become of the classifier as it is now. */
  decide: (classifier: ClassifierDocument) => Verdict<ConnectError>;
  /** The answer to a change that was made. */
  answer: (classifier: ClassifierDocument) => Answer;
}

/**
 * Changes a classifier for a caller who may administer it. `prepare` sees the classifier that the caller was checked against, makes
 * the checks that need others, and throws what it refuses. When the scope is another by the time of the write, or `decide` says
 * so, everything begins anew.
 */
export async function administer<Answer extends Message>(
  { classifiers, now }: Pick<Dependencies, "classifiers" | "now">,
  classifierId: string,
  context: HandlerContext,
  prepare: (checked: ClassifierDocument) => Promise<PreparedChange<Answer>>,
): Promise<Answer> {
  for (;;) {
    context.signal.throwIfAborted();
    const checked = await findClassifier({ classifiers }, classifierId, context);
    assertAdministrable(checked, context);
    const { decide, answer } = await prepare(checked);
    const guarded = (current: ClassifierDocument): Verdict<ConnectError> =>
      current.projectId === checked.projectId ? decide(current) : { verdict: "again" };
    const at = now();
    const note = (change: AuditedChange) => toNote(context, { ...change, at });
    const result = await classifiers.change(classifierId, at, guarded, { answer, note });
    switch (result.outcome) {
      case "done":
        return answer(result.classifier);
      case "refused":
        throw result.refusal;
      case "name-taken":
        throw nameTaken();
      case "project-gone":
        // Configuration no longer knows it either, so that the checks say what is missing.
        await prepare(checked);
        throw notFound("project", result.projectId);
      case "gone":
        throw notFound("classifier", classifierId, "classifierId");
      case "again":
        continue;
    }
  }
}
