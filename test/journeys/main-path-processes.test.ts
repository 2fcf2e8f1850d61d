import { testDatabaseName } from "@switchyard/storage/testing";
import { describeMainPath } from "./main-path.suite.ts";

describe(`the main path between processes, on the ${testDatabaseName}`, () => describeMainPath("separate processes"));
