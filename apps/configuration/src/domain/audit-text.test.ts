import { getAction, targetText, withoutSecrets } from "./audit-text.ts";

const secret = `swo_${"aB3".repeat(12)}`;

describe("getAction", () => {
  it.each([
    ["CreateToken", "token.create"],
    ["ListAuditEntries", "auditEntries.list"],
    ["Pause", "deployment.pause"],
    ["DeleteModelOrDeployment", "deployment.delete"],
    ["MakeGlobal", "classifier.makeGlobal"],
  ])("returns for %s the action %s", (method, action) => {
    expect(getAction(method)).toBe(action);
  });
});

describe("withoutSecrets", () => {
  it("replaces every secret, and only secrets", () => {
    expect(withoutSecrets(`${secret},${secret.replace("swo", "swp")} tok_1 swo_short`)).toBe(
      "[secret],[secret] tok_1 swo_short",
    );
  });
});

describe("targetText", () => {
  it("is shortened, free of secrets, and null without a target", () => {
    expect([targetText(undefined), targetText(""), targetText(secret), targetText("tok_1")]).toEqual([
      null,
      null,
      "[secret]",
      "tok_1",
    ]);
    expect(targetText("🚂".repeat(300))).toBe("🚂".repeat(200));
  });
});
