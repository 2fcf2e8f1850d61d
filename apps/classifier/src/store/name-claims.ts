import { foldName } from "@switchyard/text";
import type { ClientSession, Model } from "mongoose";
import { isDeepStrictEqual } from "node:util";
import { addHolder, isUnclaimed, removeHolder, unclaimed } from "../domain/administration/name-claim.ts";
import type { NameClaim } from "../domain/administration/name-claim.ts";
import type { ClassifierDocument, NameClaimDocument } from "./classifier-document.ts";

/** Thrown inside a transaction, to roll it back, when another classifier has the name. */
export class NameTaken extends Error {
  override name = "NameTaken";
}

/** The fields of a classifier that the claim of its name depends on. */
export type Named = Pick<ClassifierDocument, "_id" | "organizationId" | "name" | "projectId">;

/** Claims the names of classifiers within the transaction that creates, changes or deletes the classifier. */
export interface NameClaims {
  /** Claims the name of a new classifier. Throws {@link NameTaken}. */
  claim(classifier: Named, session: ClientSession): Promise<void>;
  /** Replaces the claim of a classifier when its name or scope changes. Throws {@link NameTaken}. */
  move(before: Named, after: Named, session: ClientSession): Promise<void>;
  /** Releases the name of a classifier that is deleted. */
  release(classifier: Named, session: ClientSession): Promise<void>;
}

function toClaimId({ organizationId, name }: Named): string {
  return `${organizationId}/${foldName(name)}`;
}

/** Creates the claims that are stored in a collection. */
export function createNameClaims(claims: Model<NameClaimDocument>): NameClaims {
  async function rewrite(id: string, change: (claim: NameClaim) => NameClaim, session: ClientSession): Promise<void> {
    const found = await claims.findById(id, null, { session }).lean();
    const before =
      found === null ? unclaimed : { globalClassifierId: found.globalClassifierId, projects: found.projects };
    const after = change(before);
    if (isDeepStrictEqual(before, after)) return;
    const { globalClassifierId, projects } = after;
    if (isUnclaimed(after)) await claims.deleteOne({ _id: id }, { session });
    else await claims.updateOne({ _id: id }, { $set: { globalClassifierId, projects } }, { upsert: true, session });
  }

  const claimFor = (claim: NameClaim, { _id, projectId }: Named): NameClaim => {
    const next = addHolder(claim, { classifierId: _id, projectId });
    if (next === undefined) throw new NameTaken();
    return next;
  };

  const release = (classifier: Named, session: ClientSession): Promise<void> =>
    rewrite(toClaimId(classifier), (claim) => removeHolder(claim, classifier._id), session);

  return {
    claim: (classifier, session) => rewrite(toClaimId(classifier), (claim) => claimFor(claim, classifier), session),
    async move(before, after, session) {
      if (toClaimId(before) !== toClaimId(after)) await release(before, session);
      await rewrite(toClaimId(after), (claim) => claimFor(removeHolder(claim, before._id), after), session);
    },
    release,
  };
}
