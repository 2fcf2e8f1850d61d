import { getGrantable, mayRotate, permissions, toExpiry } from "./grantable.ts";

const all = (): boolean => true;

describe("what a token can be given", () => {
  it("is what the caller has, and nothing of the organization for a project", () => {
    expect(getGrantable(all, "ORGANIZATION")).toEqual(permissions);
    expect(getGrantable(all, "PROJECT")).toEqual(permissions.slice(0, 8));
    const few = (permission: string): boolean => ["classify", "tokens:admin"].includes(permission);
    expect(getGrantable(few, "ORGANIZATION")).toEqual(["classify", "tokens:admin"]);
  });

  it("limits which tokens a caller can rotate", () => {
    const own = { id: "tok_1", userId: "usr_1", scope: "PROJECT" } as const;
    const token = { ...own, id: "tok_2", status: "ACTIVE", permissions: ["classify"] } as const;
    const none = (): boolean => false;
    expect(mayRotate(token, own, all)).toBe(true);
    expect(mayRotate(token, own, none)).toBe(false);
    expect(mayRotate({ ...token, id: "tok_1" }, own, none)).toBe(true);
    expect(mayRotate({ ...token, status: "REVOKED" }, own, all)).toBe(false);
    expect(mayRotate({ ...token, scope: "ORGANIZATION" }, own, all)).toBe(false);
    const ofOtherUser = { ...token, userId: "usr_2" };
    const exceptAdministration = (permission: string): boolean => permission !== "organization:admin";
    expect(mayRotate(token, own, exceptAdministration)).toBe(true);
    expect(mayRotate(ofOtherUser, own, exceptAdministration)).toBe(false);
    expect(mayRotate(ofOtherUser, own, all)).toBe(true);
  });

  it("expires after some days, or never", () => {
    const now = new Date("2026-01-01T00:00:00.000Z");
    expect([toExpiry("30", now), toExpiry("", now)]).toEqual(["2026-01-31T00:00:00.000Z", undefined]);
  });
});
