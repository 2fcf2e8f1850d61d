import { Code, ConnectError } from "@connectrpc/connect";
import {
  conflict,
  getProblemFacts,
  forbidden,
  internal,
  invalid,
  notFound,
  problem,
  getReason,
  unauthenticated,
  unavailable,
} from "./errors.ts";

describe("errors", () => {
  it.each([
    [forbidden("ACCESS_LOST", "m"), Code.PermissionDenied, "ACCESS_LOST"],
    [conflict("NAME_TAKEN", "m"), Code.AlreadyExists, "NAME_TAKEN"],
    [unauthenticated("TOKEN_INVALID", "m"), Code.Unauthenticated, "TOKEN_INVALID"],
  ])("have their code and reason: %s", (error, code, reason) => {
    expect(getProblemFacts(error)).toEqual({ code, reason, message: "m", metadata: {}, violations: [] });
  });

  it("report when to retry if something is unavailable", () => {
    expect(getProblemFacts(unavailable("OVERLOADED", "m"))).toMatchObject({
      code: Code.Unavailable,
      reason: "OVERLOADED",
      retryAfterSeconds: 1,
    });
    expect(getProblemFacts(unavailable("OVERLOADED", "m", undefined, 30)).retryAfterSeconds).toBe(30);
    expect(getProblemFacts(problem(Code.Unavailable, "OVERLOADED", "m")).retryAfterSeconds).toBe(1);
    const limited = problem(Code.ResourceExhausted, "TOO_MANY_PROJECTS", "m", { retryAfterSeconds: 9 });
    expect(getProblemFacts(limited).retryAfterSeconds).toBe(9);
  });

  it("name the missing object", () => {
    expect(getProblemFacts(notFound("schema", 'x"y', "schemaId"))).toMatchObject({
      code: Code.NotFound,
      reason: "SCHEMA_NOT_FOUND",
      message: 'There is no schema "x\\"y".',
      violations: [{ field: "schemaId" }],
    });
    // Accepted values have no ID: that of the file exists.
    expect(getProblemFacts(notFound("accepted values", "fil_1", "deploymentId"))).toMatchObject({
      reason: "ACCEPTED_VALUES_NOT_FOUND",
      message: "The file has no accepted values for the model.",
      violations: [{ field: "deploymentId", message: "The file has no accepted values for the model." }],
    });
  });

  it("have the text of the first violation, and keep all", () => {
    const violations = [
      { field: "name", message: "is empty" },
      { field: "limit", message: "is 0" },
    ];
    const facts = getProblemFacts(invalid(violations));
    expect(facts.message).toBe("name: is empty (and 1 more)");
    expect(facts.violations).toEqual(violations);
    expect(getProblemFacts(invalid([{ field: "", message: "No body." }], "EMPTY_FILE"))).toMatchObject({
      message: "No body.",
      reason: "EMPTY_FILE",
    });
  });

  it("are limited in size, however many violations there are", () => {
    const violations = Array.from({ length: 5_000 }, (_, index) => ({
      field: `f[${index}]`,
      message: "ü".repeat(500),
    }));
    const facts = getProblemFacts(problem(Code.InvalidArgument, "INVALID_REQUEST", "m".repeat(1e6), { violations }));
    expect(facts.message).toHaveLength(1_000);
    expect(facts.violations.length).toBeGreaterThan(5);
    expect(facts.violations.length).toBeLessThan(20);
    const listed = facts.violations.length - 1;
    expect(facts.violations.at(-1)).toEqual({ field: "", message: `${5_000 - listed} more are not listed` });
  });
});

describe("getProblemFacts", () => {
  it.each([
    ["an error", new Error("secret")],
    ["a string", "secret"],
    ["nothing", undefined],
    ["a status with the code Unknown", new ConnectError("secret", Code.Unknown)],
    ["an internal status without a reason", new ConnectError("secret", Code.Internal)],
    ["an error made by internal()", internal(new Error("secret"))],
  ])("does not reveal %s", (_, error) => {
    const facts = getProblemFacts(error);
    expect(facts).toMatchObject({ code: Code.Internal, reason: "INTERNAL" });
    expect(facts.message).not.toContain("secret");
  });

  it("uses the code as the reason of a status without one", () => {
    expect(getProblemFacts(new ConnectError("m", Code.ResourceExhausted))).toMatchObject({
      reason: "RESOURCE_EXHAUSTED",
      message: "m",
    });
    expect(getReason(Code.DeadlineExceeded)).toBe("DEADLINE_EXCEEDED");
  });
});
