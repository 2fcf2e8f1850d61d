import { identitySuite } from "./7-identity.suite.ts";

describe("identity, in separate processes", () => identitySuite("separate processes"));
