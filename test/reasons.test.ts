import { failureReasons, problemReasons } from "@switchyard/contracts/reasons";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./processes.ts";

const files = globSync(["libs/*/src/**/*.ts", "apps/*/src/**/*.ts"], { cwd: root }).filter(
  (file) => !/\/gen\/|\/testing\/|\.(test|suite)\.ts$|^libs\/contracts\/src\/reasons\.ts$/.test(file),
);
const code = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");

/** The status codes of the functions of libs/rpc/src/errors.ts are part of their types; `problem` takes any of them. */
const thrown = [...code.matchAll(/\bproblem\(\s*Code\.(\w+),\s*"([A-Z_]+)"/g)].map(([, status = "", reason = ""]) => ({
  reason,
  status: status.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toUpperCase(),
}));
const conflicts = globSync("proto/switchyard/**/*.proto", { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), "utf8").matchAll(/conflicts\) = "(\w+)"/g)].map(([, reason = ""]) => reason),
);

/** Reasons that the code does not contain as string literals: those of status codes, and those of `notFound("kind", …)`. */
function isUsed(reason: string): boolean {
  const [status] = problemReasons[reason as keyof typeof problemReasons] ?? [];
  const kind = /^(.+)_NOT_FOUND$/.exec(reason)?.[1]?.toLowerCase().replaceAll("_", " ");
  return (
    status === reason || code.includes(`"${reason}"`) || (kind !== undefined && code.includes(`notFound("${kind}"`))
  );
}

describe("the reasons of errors", () => {
  it("are thrown with their status codes", () => {
    expect(thrown.length).toBeGreaterThan(20);
    expect(thrown.filter(({ reason, status }) => Object(problemReasons)[reason]?.[0] !== status)).toEqual([]);
  });

  it("are all used", () => {
    expect(
      [...Object.keys(problemReasons), ...Object.keys(failureReasons)].filter((reason) => !isUsed(reason)),
    ).toEqual([]);
  });

  it("contain those of conflicts in the contracts", () => {
    expect(conflicts.length).toBeGreaterThan(10);
    expect(conflicts.filter((reason) => Object(problemReasons)[reason]?.[0] !== "ALREADY_EXISTS")).toEqual([]);
  });

  it("are in alphabetical order", () => {
    for (const reasons of [problemReasons, failureReasons]) {
      expect(Object.keys(reasons)).toEqual(Object.keys(reasons).toSorted());
    }
  });
});
