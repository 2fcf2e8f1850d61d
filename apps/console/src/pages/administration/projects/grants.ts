import type { Team } from "@switchyard/client";

/** A team whose projects are to be replaced. */
export interface GrantChange {
  readonly teamId: string;
  readonly projectIds: readonly string[];
}

/** Returns the changes after which exactly the wanted teams grant a project. Teams that are right already are not changed. */
export function planGrants(teams: readonly Team[], projectId: string, wanted: readonly string[]): GrantChange[] {
  return teams
    .filter(({ id, projectIds }) => wanted.includes(id) !== projectIds.includes(projectId))
    .map(({ id, projectIds }) => ({
      teamId: id,
      projectIds: wanted.includes(id)
        ? [...projectIds, projectId]
        : projectIds.filter((granted) => granted !== projectId),
    }));
}
