import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { readEnvironment } from "./index.ts";
import { knownNames, warnOfUnknownNames } from "./known-names.ts";

describe("names of variables", () => {
  it("are known if and only if docs/configuration.md lists them", () => {
    const page = readFileSync(join(import.meta.dirname, "../../../docs/configuration.md"), "utf8");
    const documented = new Set([...page.matchAll(/`(SWITCHYARD_[A-Z_]+)`/g)].map(([, name]) => name));
    expect([...knownNames].toSorted()).toEqual([...documented].toSorted());
  });

  it("cause a warning if they are unknown, with the most similar name", () => {
    const variables = {
      SWITCHYARD_DATE: "/data",
      SWITCHYARD_DATA: "/data",
      SWITCHYARD_XYZZY_PLUGH_FROTZ: "1",
      PORTS: "1",
    };
    expect(warnOfUnknownNames(variables)).toEqual([
      "The environment variable SWITCHYARD_DATE is unknown and has no effect. Did you mean SWITCHYARD_DATA?",
      "The environment variable SWITCHYARD_XYZZY_PLUGH_FROTZ is unknown and has no effect.",
    ]);
  });

  it("cause a warning in every program that reads its environment, without their values", () => {
    const warnings: string[] = [];
    const variables = { SWITCHYARD_SECRETS: "hunter2" };
    readEnvironment(z.object({}), variables, (text) => warnings.push(text));
    expect(warnings).toEqual([
      "The environment variable SWITCHYARD_SECRETS is unknown and has no effect. Did you mean SWITCHYARD_SECRET?\n",
    ]);
  });
});
