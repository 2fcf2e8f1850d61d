/** Who holds a name in an organization: one global classifier and nobody else, or project classifiers of distinct projects. */
export interface NameClaim {
  readonly globalClassifierId: string | null;
  readonly projects: readonly { readonly projectId: string; readonly classifierId: string }[];
}

/** A classifier that holds a name, or wants to; `projectId` is null for a global one. */
export interface NameHolder {
  readonly classifierId: string;
  readonly projectId: string | null;
}

/** The claim of a name that nobody holds. */
export const unclaimed: NameClaim = { globalClassifierId: null, projects: [] };

/** The claim with one more holder; undefined where the name is taken for it. */
export function claimedBy(claim: NameClaim, { classifierId, projectId }: NameHolder): NameClaim | undefined {
  if (claim.globalClassifierId !== null) return undefined;
  if (projectId === null) return isUnclaimed(claim) ? { globalClassifierId: classifierId, projects: [] } : undefined;
  if (claim.projects.some((holder) => holder.projectId === projectId)) return undefined;
  return { globalClassifierId: null, projects: [...claim.projects, { projectId, classifierId }] };
}

/** The claim without a classifier, whether it held the name or not. */
export function releasedBy(claim: NameClaim, classifierId: string): NameClaim {
  return {
    globalClassifierId: claim.globalClassifierId === classifierId ? null : claim.globalClassifierId,
    projects: claim.projects.filter((holder) => holder.classifierId !== classifierId),
  };
}

/** Whether nobody holds the name. */
export function isUnclaimed({ globalClassifierId, projects }: NameClaim): boolean {
  return globalClassifierId === null && projects.length === 0;
}
