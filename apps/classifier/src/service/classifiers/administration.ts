import type { Message } from "@bufbuild/protobuf";
import type { ConnectError, HandlerContext } from "@connectrpc/connect";
import { toNote } from "@switchyard/change-feed";
import { notFound } from "@switchyard/rpc";
import type { AuditedChange } from "../../domain/administration/audited-change.ts";
import type { ClassifierDocument } from "../../store/classifier-document.ts";
import type { ChangeDecision } from "../../store/classifier-writer.ts";
import type { Dependencies } from "../dependencies.ts";
import { assertAdministrable, findClassifier } from "../lookup.ts";
import { nameTaken } from "../refusals.ts";

/** A change that is ready to be made. Neither function makes calls, as both run inside the transaction. */
export interface PreparedChange<ResponseMessage> {
  /** Decides on the classifier in its current state. */
  decide: (classifier: ClassifierDocument) => ChangeDecision<ConnectError>;
  /** Returns the response to a change that was made. */
  toResponse: (classifier: ClassifierDocument) => ResponseMessage;
}

/**
 * Changes a classifier for a caller who may administer it. `prepare` receives the classifier that the caller was checked against,
 * makes the checks that need calls to other services, and throws if the change is not allowed. If the scope of the classifier has
 * changed by the time of the write, or if `decide` asks for it, everything is retried.
 */
export async function administer<ResponseMessage extends Message>(
  { classifiers, now }: Pick<Dependencies, "classifiers" | "now">,
  classifierId: string,
  context: HandlerContext,
  prepare: (checked: ClassifierDocument) => Promise<PreparedChange<ResponseMessage>>,
): Promise<ResponseMessage> {
  for (;;) {
    context.signal.throwIfAborted();
    const checked = await findClassifier({ classifiers }, classifierId, context);
    assertAdministrable(checked, context);
    const { decide, toResponse } = await prepare(checked);
    const guarded = (current: ClassifierDocument): ChangeDecision<ConnectError> =>
      current.projectId === checked.projectId ? decide(current) : { action: "retry" };
    const at = now();
    const note = (change: AuditedChange) => toNote(context, { ...change, at });
    const result = await classifiers.change(classifierId, at, guarded, { toResponse, note });
    switch (result.outcome) {
      case "done":
        return toResponse(result.classifier);
      case "refused":
        throw result.refusal;
      case "name-taken":
        throw nameTaken();
      case "project-not-found":
        // The configuration service does not have the project either, so the checks report what is missing.
        await prepare(checked);
        throw notFound("project", result.projectId);
      case "not-found":
        throw notFound("classifier", classifierId, "classifierId");
      case "retry":
        continue;
    }
  }
}
