import { quotaSuite } from "./8-quotas.suite.ts";

describe("8 quotas of an organization, with replicas of the services", () => quotaSuite("replicas"));
