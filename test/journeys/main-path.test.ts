import { testDatabaseName } from "@switchyard/storage/testing";
import { describeMainPath } from "./main-path.suite.ts";

describe(`the main path in one process, on the ${testDatabaseName}`, () => describeMainPath("shared"));
