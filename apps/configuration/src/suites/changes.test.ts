import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import { changesSuite } from "./changes.suite.ts";

describe(`changes on the ${testDatabaseName}`, () => changesSuite(startTestDatabase));
