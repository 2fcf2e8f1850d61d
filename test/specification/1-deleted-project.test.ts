import { deletedProjectSuite } from "./1-deleted-project.suite.ts";

describe("1 a deleted project, in one process", () => deletedProjectSuite("one process"));
