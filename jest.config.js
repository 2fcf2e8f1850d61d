export default {
  testMatch: ["<rootDir>/**/*.test.ts"],
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      { jsc: { parser: { syntax: "typescript" }, target: "es2023" }, module: { type: "es6" } },
    ],
  },
  // Many of the tests run whole systems, on machines that do other work besides. Nothing waits this long unless it hangs.
  testTimeout: 120_000,
  testSequencer: `${import.meta.dirname}/jest.sequencer.js`,
  setupFiles: [`${import.meta.dirname}/jest.setup.js`],
  coveragePathIgnorePatterns: ["/gen/"],
  modulePathIgnorePatterns: ["/dist/", "/\\.nx/"],
};
