import { foldName } from "@switchyard/text";
import type { ClientSession, Model } from "mongoose";
import { isDeepStrictEqual } from "node:util";
import { claimedBy, isUnclaimed, releasedBy, unclaimed } from "../domain/administration/name-claim.ts";
import type { NameClaim } from "../domain/administration/name-claim.ts";
import type { ClassifierDocument, NameClaimDocument } from "./classifier-document.ts";

/** Thrown inside a transaction, so that it is rolled back: the name is held by another classifier. */
export class NameTaken extends Error {
  override name = "NameTaken";
}

/** A classifier as far as its name goes. */
export type Named = Pick<ClassifierDocument, "_id" | "organizationId" | "name" | "projectId">;

/** Claims names of classifiers, inside the transaction that creates, changes or deletes the classifier. */
export interface NameClaims {
  /** Claims the name of a new classifier. Throws NameTaken. */
  claim(classifier: Named, session: ClientSession): Promise<void>;
  /** Moves the claim of a classifier to its new name or scope. Throws NameTaken. */
  move(before: Named, after: Named, session: ClientSession): Promise<void>;
  /** Gives up the name of a classifier that is deleted. */
  release(classifier: Named, session: ClientSession): Promise<void>;
}

function claimId({ organizationId, name }: Named): string {
  return `${organizationId}/${foldName(name)}`;
}

/** Creates the claims over their collection. */
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

  const claimed = (claim: NameClaim, { _id, projectId }: Named): NameClaim => {
    const next = claimedBy(claim, { classifierId: _id, projectId });
    if (next === undefined) throw new NameTaken();
    return next;
  };

  const release = (classifier: Named, session: ClientSession): Promise<void> =>
    rewrite(claimId(classifier), (claim) => releasedBy(claim, classifier._id), session);

  return {
    claim: (classifier, session) => rewrite(claimId(classifier), (claim) => claimed(claim, classifier), session),
    async move(before, after, session) {
      if (claimId(before) !== claimId(after)) await release(before, session);
      await rewrite(claimId(after), (claim) => claimed(releasedBy(claim, before._id), after), session);
    },
    release,
  };
}
