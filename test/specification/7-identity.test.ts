import { identitySuite } from "./7-identity.suite.ts";

describe("identity, in one process", () => identitySuite("one process"));
