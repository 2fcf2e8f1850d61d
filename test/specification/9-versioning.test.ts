import { describeVersioning } from "./9-versioning.suite.ts";

describe("9 versioning, in one process", () => describeVersioning("one process"));
