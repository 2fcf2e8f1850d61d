import { accessMatrixSuite } from "./5-access-matrix.suite.ts";

describe("5 the access matrix, between processes", () => accessMatrixSuite("separate processes"));
