import { classifiersAndRoutes } from "./2-to-5.suite.ts";

describe("classifiers and routes, in one process", () => classifiersAndRoutes("one process"));
