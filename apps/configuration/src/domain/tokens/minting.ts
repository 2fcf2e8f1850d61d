import type { Fault } from "@switchyard/text";
import { validateName } from "@switchyard/text";

/** What a token reaches. */
export type Scope = "ORGANIZATION" | "PROJECT";

/** A token that somebody wants to have issued; `scope` is undefined when it was not said. */
export interface WantedToken {
  readonly name: string;
  readonly scope: Scope | undefined;
  readonly projectId: string | undefined;
  readonly teamIds: readonly string[];
  readonly permissions: readonly string[];
  readonly expiresAt: Date | undefined;
}

/** The permissions there are, by name: all that a token can carry, and those that a project token never carries. */
export interface PermissionNames {
  readonly all: readonly string[];
  readonly organization: readonly string[];
}

const maxTeams = 1000;

/** Everything that is wrong with a wanted token by itself, whoever wants it (api.md 7). */
export function validateToken(wanted: WantedToken, names: PermissionNames, now: Date): Fault[] {
  return [
    ...validateName("name", wanted.name),
    ...scopeFaults(wanted),
    ...permissionFaults(wanted, names),
    ...(wanted.expiresAt !== undefined && !(wanted.expiresAt > now)
      ? [{ field: "expiresAt", message: "must be in the future" }]
      : []),
  ];
}

function scopeFaults({ scope, projectId, teamIds }: WantedToken): Fault[] {
  if (scope === undefined) return [{ field: "scope", message: "must be ORGANIZATION or PROJECT" }];
  if (scope === "ORGANIZATION") {
    return [
      ...(projectId === undefined ? [] : [{ field: "projectId", message: "is for tokens of the scope PROJECT" }]),
      ...(teamIds.length > maxTeams ? [{ field: "teamIds", message: `must have at most ${maxTeams} entries` }] : []),
    ];
  }
  return [
    ...(projectId === undefined || projectId === ""
      ? [{ field: "projectId", message: "is required for the scope PROJECT" }]
      : []),
    ...(teamIds.length === 0 ? [] : [{ field: "teamIds", message: "is for tokens of the scope ORGANIZATION" }]),
  ];
}

function permissionFaults({ scope, permissions }: WantedToken, { all, organization }: PermissionNames): Fault[] {
  if (permissions.length === 0) return [{ field: "permissions", message: "must name at least one permission" }];
  return permissions.flatMap((permission, index) => {
    const field = `permissions[${index}]`;
    if (!all.includes(permission)) return [{ field, message: `must be one of ${all.join(", ")}` }];
    if (scope === "PROJECT" && organization.includes(permission)) {
      return [{ field, message: `${permission} is not for tokens of the scope PROJECT` }];
    }
    return [];
  });
}

/** A token, as far as it decides who may issue or see it. */
export interface TokenGrant {
  readonly scope: Scope;
  readonly projectId: string | null;
  readonly teamIds: readonly string[];
  readonly permissions: readonly string[];
}

/** Somebody who administers tokens. */
export interface TokenAdministrator {
  readonly scope: Scope;
  /** Whether they hold organization:admin. */
  readonly isOrganizationAdministrator: boolean;
  readonly projectIds: readonly string[];
  holds(permission: string): boolean;
}

/** Why a token cannot be issued by somebody: what of it goes beyond their own, undefined when nothing does. */
export type Excess =
  | { readonly kind: "scope" }
  | { readonly kind: "permission"; readonly permission: string }
  | { readonly kind: "project" }
  | { readonly kind: "team"; readonly teamId: string };

/**
 * What of a token goes beyond its issuer: a scope that is wider, a permission that they do not hold, a project out of their reach,
 * a team that grants one out of their reach (organization:admin may name any team). `projectsOfTeam` has the teams there are.
 */
export function getExcess(
  grant: TokenGrant,
  administrator: TokenAdministrator,
  projectsOfTeam: ReadonlyMap<string, readonly string[]>,
): Excess | undefined {
  if (grant.scope === "ORGANIZATION" && administrator.scope === "PROJECT") return { kind: "scope" };
  const permission = grant.permissions.find((name) => !administrator.holds(name));
  return permission === undefined
    ? reachExcess(grant, administrator, projectsOfTeam)
    : { kind: "permission", permission };
}

/**
 * Whether somebody sees a token and may revoke it: with organization:admin every one of the organization, else one that reaches no
 * further than they do. What it may do besides does not matter.
 */
export function canSeeToken(
  grant: TokenGrant,
  administrator: TokenAdministrator,
  projectsOfTeam: ReadonlyMap<string, readonly string[]>,
): boolean {
  if (administrator.isOrganizationAdministrator) return true;
  if (grant.scope === "ORGANIZATION" && administrator.scope === "PROJECT") return false;
  return reachExcess(grant, administrator, projectsOfTeam) === undefined;
}

function reachExcess(
  grant: TokenGrant,
  { isOrganizationAdministrator, projectIds }: TokenAdministrator,
  projectsOfTeam: ReadonlyMap<string, readonly string[]>,
): Excess | undefined {
  if (grant.projectId !== null && !projectIds.includes(grant.projectId)) return { kind: "project" };
  if (isOrganizationAdministrator) return undefined;
  const teamId = grant.teamIds.find(
    (id) => !(projectsOfTeam.get(id) ?? []).every((projectId) => projectIds.includes(projectId)),
  );
  return teamId === undefined ? undefined : { kind: "team", teamId };
}
