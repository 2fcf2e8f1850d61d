import type { SystemShape } from "../system.ts";
import { classifierSuite } from "./2-classifiers.suite.ts";
import { routeSuite } from "./2-routes.suite.ts";
import { candidateSuite } from "./3-candidates.suite.ts";
import { deletedTargetSuite } from "./3-deleted-targets.suite.ts";
import { scopeSuite } from "./3-scopes.suite.ts";
import { orderOfChecksSuite } from "./4-2-order-of-checks.suite.ts";
import { raceSuite } from "./4-2-races.suite.ts";
import { reachSuite } from "./5-reach.suite.ts";
import { givenSystem, rounds } from "./office.ts";

/** What the specification says of classifiers, routes and scopes, on one system with an organization for each suite. */
export function classifiersAndRoutes(shape: SystemShape): void {
  const given = givenSystem(shape);
  describe("2.1 classifiers", () => classifierSuite(given));
  describe("2.2 routes", () => routeSuite(given));
  describe("3 the candidates of a classifier", () => candidateSuite(given));
  describe("3 the scope of a classifier", () => scopeSuite(given));
  describe("3 routes whose target is paused or deleted", () => deletedTargetSuite(given));
  describe("4.2 the order of the checks of routes", () => orderOfChecksSuite(given));
  describe(`3 and 4 changes that race, ${rounds} rounds`, () => raceSuite(given));
  describe("5 tokens that do not reach a classifier's project", () => reachSuite(given));
}
