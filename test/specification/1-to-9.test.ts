import { projectsAndModels } from "./1-to-9.suite.ts";

describe("projects, models and identity, with replicas", () => projectsAndModels("replicas"));
