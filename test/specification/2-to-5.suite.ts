import type { SystemShape } from "../system.ts";
import { classifierSuite } from "./classifiers/2-classifiers.suite.ts";
import { routeSuite } from "./classifiers/2-routes.suite.ts";
import { candidateSuite } from "./classifiers/3-candidates.suite.ts";
import { deletedTargetSuite } from "./classifiers/3-deleted-targets.suite.ts";
import { scopeSuite } from "./classifiers/3-scopes.suite.ts";
import { batchSuite } from "./classifiers/3-batches.suite.ts";
import { explanationSuite } from "./classifiers/3-explanations.suite.ts";
import { duplicateSuite } from "./classifiers/3-duplicates.suite.ts";
import { reviewSuite } from "./classifiers/3-reviews.suite.ts";
import { projectRecordSuite } from "./classifiers/13-project-records.suite.ts";
import { learningSuite } from "./classifiers/12-learning.suite.ts";
import { qualitySuite } from "./classifiers/6-quality.suite.ts";
import { orderOfChecksSuite } from "./classifiers/4-2-order-of-checks.suite.ts";
import { raceSuite } from "./classifiers/4-2-races.suite.ts";
import { accessMatrixSuite } from "./access/5-access-matrix.suite.ts";
import { reachSuite } from "./access/5-reach.suite.ts";
import { givenSystem, isComplete, rounds } from "./testing/office.ts";

/** The suites about classifiers, routes, scopes and access, on one system with an organization for each. */
export function classifiersAndRoutes(shape: SystemShape): void {
  const given = givenSystem(shape);
  describe("2.1 classifiers", () => classifierSuite(given));
  describe("2.2 routes", () => routeSuite(given));
  describe("3 the candidates of a classifier", () => candidateSuite(given));
  describe("3 the scope of a classifier", () => scopeSuite(given));
  describe("3 routes whose target is paused or deleted", () => deletedTargetSuite(given));
  describe("3 a review", () => reviewSuite(given));
  describe("3 documents that are classified again or in batches", () => batchSuite(given));
  describe("3 the explanation of a record", () => explanationSuite(given));
  describe("3 and 4 the warning DUPLICATE_FILE", () => duplicateSuite(given));
  describe("12 a classifier learns", () => learningSuite(given));
  describe("13 the records of a project", () => projectRecordSuite(given));
  describe("6 the quality of a classifier", () => qualitySuite(given));
  describe("4.2 the order of the checks of routes", () => orderOfChecksSuite(given));
  describe(`3 and 4 concurrent changes, ${rounds} rounds`, () => raceSuite(given));
  describe("5 tokens without access to a classifier's project", () => reachSuite(given));
  if (isComplete(shape)) describe("5 the access matrix", () => accessMatrixSuite(given));
}
