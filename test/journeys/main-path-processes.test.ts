import { databaseName } from "../database.ts";
import { describeMainPath } from "./main-path.suite.ts";

describe(`the main path between processes, on the ${databaseName}`, () => describeMainPath("separate processes"));
