import { describeMainPath } from "../journeys/main-path.suite.ts";
import { deletedProjectMeanwhileStoppedSuite } from "../specification/models/1-deleted-project-meanwhile-stopped.suite.ts";
import { interruptedEventsSuite } from "../specification/projects/13-interrupted-events.suite.ts";
import { givenSystem } from "../specification/testing/office.ts";
import { configurationDownSuite } from "./services/configuration-down.suite.ts";
import { hungServiceSuite } from "./services/hung-service.suite.ts";
import { idempotencyKillSuite } from "./services/idempotency-kill.suite.ts";

/** The main path, and the suites about services that hang, stop or are killed, on one system with an organization for each. */
describe("separate processes", () => {
  const given = givenSystem("separate processes");
  describe("the main path", () => describeMainPath(given));
  describe("while a service hangs", () => hungServiceSuite(given));
  describe("while the configuration service is stopped", () => configurationDownSuite(given));
  describe("kill -9 of the service that processes a request", () => idempotencyKillSuite(given));
  describe("1 a deleted project, between processes", () => deletedProjectMeanwhileStoppedSuite(given));
  describe("13 the events of a project, with services that stop", () => interruptedEventsSuite(given));
});
