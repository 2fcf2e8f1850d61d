import { projectsAndModels } from "./1-to-9.suite.ts";
import { runsBetweenProcesses } from "./testing/counts.ts";

describe.runIf(runsBetweenProcesses)("projects, models and identity, between processes", () =>
  projectsAndModels("separate processes"),
);
