/** The holders of a name in an organization: one global classifier, or classifiers of distinct projects. */
export interface NameClaim {
  readonly globalClassifierId: string | null;
  readonly projects: readonly { readonly projectId: string; readonly classifierId: string }[];
}

/** A classifier that has or wants a name. `projectId` is null for a global classifier. */
export interface NameHolder {
  readonly classifierId: string;
  readonly projectId: string | null;
}

/** The claim of a name without holders. */
export const unclaimed: NameClaim = { globalClassifierId: null, projects: [] };

/** Returns the claim with one more holder, or undefined if the name is taken. */
export function addHolder(claim: NameClaim, { classifierId, projectId }: NameHolder): NameClaim | undefined {
  if (claim.globalClassifierId !== null) return undefined;
  if (projectId === null) return isUnclaimed(claim) ? { globalClassifierId: classifierId, projects: [] } : undefined;
  if (claim.projects.some((holder) => holder.projectId === projectId)) return undefined;
  return { globalClassifierId: null, projects: [...claim.projects, { projectId, classifierId }] };
}

/** Returns the claim without a classifier, which need not be a holder. */
export function removeHolder(claim: NameClaim, classifierId: string): NameClaim {
  return {
    globalClassifierId: claim.globalClassifierId === classifierId ? null : claim.globalClassifierId,
    projects: claim.projects.filter((holder) => holder.classifierId !== classifierId),
  };
}

/** Whether the name has no holders. */
export function isUnclaimed({ globalClassifierId, projects }: NameClaim): boolean {
  return globalClassifierId === null && projects.length === 0;
}
