import { meanwhileSuite } from "./4-2-meanwhile.suite.ts";

describe("3 and 4.2 changes between the checks of a request and its write, in one process", () =>
  meanwhileSuite("one process"));
