import { accessMatrixSuite } from "./5-access-matrix.suite.ts";

describe("5 the access matrix, in one process", () => accessMatrixSuite("one process"));
