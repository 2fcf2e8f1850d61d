import { databaseName } from "../database.ts";
import { describeMainPath } from "./main-path.suite.ts";

describe(`the main path in one process, on the ${databaseName}`, () => describeMainPath("one process"));
