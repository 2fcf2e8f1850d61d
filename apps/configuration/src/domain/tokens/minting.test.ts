import { canSeeToken, findMissingRight, validateToken } from "./minting.ts";
import type { TokenAdministrator, TokenGrant, TokenRequest } from "./minting.ts";

const names = { all: ["read", "write", "admin"], organization: ["admin"] };
const now = new Date(1_000);
const wanted: TokenRequest = {
  name: "x",
  scope: "ORGANIZATION",
  projectId: undefined,
  teamIds: [],
  permissions: ["read"],
  expiresAt: undefined,
};

describe("validateToken", () => {
  const toFields = (change: Partial<TokenRequest>): string[] =>
    validateToken({ ...wanted, ...change }, names, now).map(({ field }) => field);

  it.each<[Partial<TokenRequest>, string[]]>([
    [{}, []],
    [{ scope: "PROJECT", projectId: "p" }, []],
    [{ permissions: ["read", "read", "admin"], expiresAt: new Date(1_001) }, []],
    [{ name: " ", scope: undefined, permissions: [] }, ["name", "scope", "permissions"]],
    [{ projectId: "p" }, ["projectId"]],
    [{ scope: "PROJECT" }, ["projectId"]],
    [{ scope: "PROJECT", projectId: "" }, ["projectId"]],
    [{ scope: "PROJECT", projectId: "p", teamIds: ["t"] }, ["teamIds"]],
    [{ scope: "PROJECT", projectId: "p", permissions: ["read", "admin"] }, ["permissions[1]"]],
    [{ permissions: ["Read", "", "read"] }, ["permissions[0]", "permissions[1]"]],
    [{ expiresAt: now }, ["expiresAt"]],
    [{ expiresAt: new Date(Number.NaN) }, ["expiresAt"]],
    [{ teamIds: Array.from({ length: 1001 }, () => "t") }, ["teamIds"]],
  ])("reports the violations of %p: %p", (change, fields) => {
    expect(toFields(change)).toEqual(fields);
  });
});

describe("the right to issue a token, and to see it", () => {
  const teams = new Map([
    ["narrow", ["p"]],
    ["wide", ["p", "q"]],
    ["empty", []],
  ]);
  const ofTeams = (...teamIds: string[]): TokenGrant => ({
    scope: "ORGANIZATION",
    projectId: null,
    teamIds,
    permissions: ["read"],
  });
  const ofProject = (projectId: string): TokenGrant => ({
    scope: "PROJECT",
    projectId,
    teamIds: [],
    permissions: ["read"],
  });
  const one = (change: Partial<TokenAdministrator> = {}): TokenAdministrator => ({
    scope: "ORGANIZATION",
    isOrganizationAdministrator: false,
    projectIds: ["p"],
    hasPermission: (name) => name === "read",
    ...change,
  });
  const projectOne = one({ scope: "PROJECT" });
  const administrator = one({ isOrganizationAdministrator: true });
  const withoutPermissions = one({ hasPermission: () => false });

  it.each<[string, TokenGrant, TokenAdministrator, string, boolean]>([
    ["a project in reach", ofProject("p"), one(), "none", true],
    ["a project out of reach", ofProject("q"), one(), "project", false],
    ["a project out of reach, to an administrator", ofProject("q"), administrator, "project", true],
    ["a project in reach, to a project token", ofProject("p"), projectOne, "none", true],
    ["a permission that the issuer does not have", ofProject("p"), withoutPermissions, "permission", true],
    ["teams in reach", ofTeams("narrow", "empty"), one(), "none", true],
    ["a team with more projects", ofTeams("narrow", "wide"), one(), "team", false],
    ["a team with more projects, to an administrator", ofTeams("wide"), administrator, "none", true],
    ["a deleted team", ofTeams("gone"), one(), "none", true],
    ["an organization token, to a project token", ofTeams(), projectOne, "scope", false],
  ])("%s", (_says, grant, who, missing, seen) => {
    expect(findMissingRight(grant, who, teams)?.kind ?? "none").toBe(missing);
    expect(canSeeToken(grant, who, teams)).toBe(seen);
  });

  it("names the permission and the team that exceed the rights of the issuer", () => {
    expect(findMissingRight(ofProject("p"), withoutPermissions, teams)).toEqual({
      kind: "permission",
      permission: "read",
    });
    expect(findMissingRight(ofTeams("narrow", "wide"), one(), teams)).toEqual({ kind: "team", teamId: "wide" });
  });
});
