import { isDuplicateKey } from "@switchyard/storage";
import { foldName } from "@switchyard/text";
import { trusted } from "mongoose";
import type { ClientSession, Model } from "mongoose";
import type { NameClaimDocument } from "./classifier-document.ts";

/** Thrown inside a transaction, so that it is rolled back: the name is held by another classifier. */
export class NameTaken extends Error {
  override name = "NameTaken";
}

/** A classifier that wants a name. */
export interface Claimant {
  classifierId: string;
  organizationId: string;
  name: string;
}

/** Claims names of classifiers, inside the transaction that creates or changes the classifier. */
export interface NameClaims {
  /** Claims a name for a project classifier: no other of the project and no global one may hold it. Throws NameTaken. */
  claimInProject(claimant: Claimant, projectId: string, session: ClientSession): Promise<void>;
  /** Turns a project classifier's claim into a global one: no other classifier may hold the name. Throws NameTaken. */
  claimGlobally(claimant: Claimant, session: ClientSession): Promise<void>;
  /** Gives up the name of a project classifier. */
  releaseInProject(claimant: Claimant, session: ClientSession): Promise<void>;
}

function claimId({ organizationId, name }: Claimant): string {
  return `${organizationId}/${foldName(name)}`;
}

/** Creates the claims over their collection. */
export function createNameClaims(claims: Model<NameClaimDocument>): NameClaims {
  return {
    async claimInProject(claimant, projectId, session) {
      try {
        await claims.updateOne(
          { _id: claimId(claimant), globalClassifierId: null, "projects.projectId": trusted({ $ne: projectId }) },
          { $push: { projects: { projectId, classifierId: claimant.classifierId } } },
          { upsert: true, session },
        );
      } catch (error) {
        // The claim exists and its guard refused, so the upsert ran into the claim's own id.
        if (isDuplicateKey(error)) throw new NameTaken();
        throw error;
      }
    },
    async claimGlobally(claimant, session) {
      const claim = await claims.findById(claimId(claimant), null, { session }).lean();
      const others = claim?.projects.filter(({ classifierId }) => classifierId !== claimant.classifierId) ?? [];
      const global = claim?.globalClassifierId ?? null;
      if (others.length > 0 || (global !== null && global !== claimant.classifierId)) throw new NameTaken();
      await claims.updateOne(
        { _id: claimId(claimant) },
        { $set: { globalClassifierId: claimant.classifierId, projects: [] } },
        { upsert: true, session },
      );
    },
    async releaseInProject(claimant, session) {
      const _id = claimId(claimant);
      const mine = { projects: { classifierId: claimant.classifierId } };
      await claims.updateOne({ _id }, { $pull: mine }, { session });
      await claims.deleteOne({ _id, globalClassifierId: null, projects: trusted({ $size: 0 }) }, { session });
    },
  };
}
