import { classifiersAndRoutes } from "./2-to-5.suite.ts";
import { runsBetweenProcesses } from "./testing/counts.ts";

describe.runIf(runsBetweenProcesses)("classifiers and routes, between processes", () =>
  classifiersAndRoutes("separate processes"),
);
