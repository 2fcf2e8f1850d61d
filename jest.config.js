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
  // Modules that a file has loaded are not all freed after it. A worker that keeps them spends more and more time on garbage collection:
  // files in the second half of a run took up to seven times the processor time that they take alone.
  workerIdleMemoryLimit: "400MB",
  testSequencer: `${import.meta.dirname}/jest.sequencer.js`,
  setupFiles: [`${import.meta.dirname}/jest.setup.js`],
  coveragePathIgnorePatterns: ["/gen/"],
  modulePathIgnorePatterns: ["/dist/", "/\\.nx/"],
};
