import { classifiersAndRoutes } from "./2-to-5.suite.ts";

describe("classifiers and routes, between processes", () => classifiersAndRoutes("separate processes"));
