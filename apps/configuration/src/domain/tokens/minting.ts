import type { Violation } from "@switchyard/text";
import { validateName } from "@switchyard/text";

/** The scope of a token. */
export type Scope = "ORGANIZATION" | "PROJECT";

/** A request for a token. `scope` is undefined if the request does not name one. */
export interface TokenRequest {
  readonly name: string;
  readonly scope: Scope | undefined;
  readonly projectId: string | undefined;
  readonly teamIds: readonly string[];
  readonly permissions: readonly string[];
  readonly expiresAt: Date | undefined;
}

/** The names of the permissions that a token can have, and of those that a project token cannot have. */
export interface PermissionNames {
  readonly all: readonly string[];
  readonly organization: readonly string[];
}

const maxTeams = 1000;

/** Validates a requested token on its own, without regard to the caller. */
export function validateToken(request: TokenRequest, names: PermissionNames, now: Date): Violation[] {
  return [
    ...validateName("name", request.name),
    ...validateScope(request),
    ...validatePermissions(request, names),
    ...(request.expiresAt !== undefined && !(request.expiresAt > now)
      ? [{ field: "expiresAt", message: "must be in the future" }]
      : []),
  ];
}

function validateScope({ scope, projectId, teamIds }: TokenRequest): Violation[] {
  if (scope === undefined) return [{ field: "scope", message: "must be ORGANIZATION or PROJECT" }];
  if (scope === "ORGANIZATION") {
    return [
      ...(projectId === undefined ? [] : [{ field: "projectId", message: "is only for tokens of the scope PROJECT" }]),
      ...(teamIds.length > maxTeams ? [{ field: "teamIds", message: `must have at most ${maxTeams} entries` }] : []),
    ];
  }
  return [
    ...(projectId === undefined || projectId === ""
      ? [{ field: "projectId", message: "is required for the scope PROJECT" }]
      : []),
    ...(teamIds.length === 0 ? [] : [{ field: "teamIds", message: "is only for tokens of the scope ORGANIZATION" }]),
  ];
}

function validatePermissions(
  { scope, permissions }: TokenRequest,
  { all, organization }: PermissionNames,
): Violation[] {
  if (permissions.length === 0) return [{ field: "permissions", message: "must name at least one permission" }];
  return permissions.flatMap((permission, index) => {
    const field = `permissions[${index}]`;
    if (!all.includes(permission)) return [{ field, message: `must be one of ${all.join(", ")}` }];
    if (scope === "PROJECT" && organization.includes(permission)) {
      return [{ field, message: `${permission} is not allowed for tokens of the scope PROJECT` }];
    }
    return [];
  });
}

/** The properties of a token that decide who may issue or see it. */
export interface TokenGrant {
  readonly scope: Scope;
  readonly projectId: string | null;
  readonly teamIds: readonly string[];
  readonly permissions: readonly string[];
}

/** A caller who administers tokens. */
export interface TokenAdministrator {
  readonly scope: Scope;
  /** Whether the caller has the permission `organization:admin`. */
  readonly isOrganizationAdministrator: boolean;
  readonly projectIds: readonly string[];
  hasPermission(permission: string): boolean;
}

/** A right that a requested token has and its issuer lacks. */
export type MissingRight =
  | { readonly kind: "scope" }
  | { readonly kind: "permission"; readonly permission: string }
  | { readonly kind: "project" }
  | { readonly kind: "team"; readonly teamId: string };

/**
 * Returns a right of a token that its issuer lacks: a wider scope, a permission that the issuer lacks, a project out of reach, or a
 * team that grants a project out of reach. With `organization:admin`, any team is allowed. Returns undefined if there is none.
 * `projectsOfTeam` contains the existing teams.
 */
export function findMissingRight(
  grant: TokenGrant,
  administrator: TokenAdministrator,
  projectsOfTeam: ReadonlyMap<string, readonly string[]>,
): MissingRight | undefined {
  if (grant.scope === "ORGANIZATION" && administrator.scope === "PROJECT") return { kind: "scope" };
  const permission = grant.permissions.find((name) => !administrator.hasPermission(name));
  return permission === undefined
    ? findMissingReach(grant, administrator, projectsOfTeam)
    : { kind: "permission", permission };
}

/**
 * Whether a caller sees a token and may revoke it. With `organization:admin`, a caller sees every token of the organization, and otherwise
 * only tokens that reach no further than its own. The permissions of the token do not matter.
 */
export function canSeeToken(
  grant: TokenGrant,
  administrator: TokenAdministrator,
  projectsOfTeam: ReadonlyMap<string, readonly string[]>,
): boolean {
  if (administrator.isOrganizationAdministrator) return true;
  if (grant.scope === "ORGANIZATION" && administrator.scope === "PROJECT") return false;
  return findMissingReach(grant, administrator, projectsOfTeam) === undefined;
}

function findMissingReach(
  grant: TokenGrant,
  { isOrganizationAdministrator, projectIds }: TokenAdministrator,
  projectsOfTeam: ReadonlyMap<string, readonly string[]>,
): MissingRight | undefined {
  if (grant.projectId !== null && !projectIds.includes(grant.projectId)) return { kind: "project" };
  if (isOrganizationAdministrator) return undefined;
  const teamId = grant.teamIds.find(
    (id) => !(projectsOfTeam.get(id) ?? []).every((projectId) => projectIds.includes(projectId)),
  );
  return teamId === undefined ? undefined : { kind: "team", teamId };
}
