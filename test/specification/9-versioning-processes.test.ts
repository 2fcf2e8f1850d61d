import { describeVersioning } from "./9-versioning.suite.ts";

describe("9 versioning, between processes", () => describeVersioning("separate processes"));
