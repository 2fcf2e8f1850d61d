import nx from "@nx/eslint-plugin";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";

// The sentences of CONTRIBUTING.md, "Who may import whom": each fails the lint when broken (test/boundaries.test.ts).

const mongooseOnlyInStores = {
  name: "mongoose",
  message: "mongoose appears only in libs/storage and in stores: store.ts or store/*.ts.",
};

const processOnlyInConfig = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: "Only config.ts reads the environment.",
};

const errorsInOnePlace = {
  selector: "NewExpression[callee.name='ConnectError']",
  message: "Errors are made in libs/rpc/src/errors.ts: problem(), invalid(), notFound() and so on.",
};

const noMocks = {
  selector: "CallExpression[callee.object.name='jest'][callee.property.name=/^(mock|unstable_mockModule)$/]",
  message: "Pass a fake as an argument, or run the real thing.",
};

/** What files of a domain may not import; `outside` matches the paths that lead out of it. */
function domain(files, outside) {
  const neighbours = "domain/ imports only contracts' types and its neighbours.";
  return {
    files,
    ignores: ["**/*.test.ts", "**/*.suite.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          paths: [mongooseOnlyInStores, { name: "pino", message: "domain/ has no input or output." }],
          patterns: [
            { group: ["node:*"], message: "domain/ has no input or output." },
            { group: ["@connectrpc/*", "@grpc/*"], message: "domain/ knows no transport." },
            { regex: "^@switchyard/(?!contracts/)", message: neighbours },
            { regex: outside, message: neighbours },
          ],
        },
      ],
    },
  };
}

export default defineConfig(
  { ignores: ["**/gen/**", "**/dist/**", "**/node_modules/**", ".nx/**", "**/*.js"] },
  {
    files: ["**/*.ts"],
    extends: [typescript.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { "@nx": nx },
    rules: {
      "@nx/enforce-module-boundaries": [
        "error",
        {
          enforceBuildableLibDependency: false,
          banTransitiveDependencies: false,
          depConstraints: [
            { sourceTag: "type:test", onlyDependOnLibsWithTags: ["*"] },
            { sourceTag: "type:composition", onlyDependOnLibsWithTags: ["type:app", "type:lib", "type:contract"] },
            { sourceTag: "type:app", onlyDependOnLibsWithTags: ["type:lib", "type:contract"] },
            { sourceTag: "type:lib", onlyDependOnLibsWithTags: ["type:lib", "type:contract"] },
            { sourceTag: "type:contract", onlyDependOnLibsWithTags: [] },
          ],
        },
      ],
      "no-restricted-imports": ["error", { paths: [mongooseOnlyInStores] }],
      "no-restricted-syntax": ["error", processOnlyInConfig, errorsInOnePlace, noMocks],
      "no-console": "error",
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // RPCs and async generators of the contracts are async by their type, also where they await nothing.
      "@typescript-eslint/require-await": "off",
    },
  },
  {
    files: [
      "libs/storage/**/*.ts",
      "apps/*/src/store.ts",
      "apps/*/src/store/**/*.ts",
      "test/**/*.ts",
      "**/testing/**/*.ts",
      "**/bench.ts",
      "**/*.test.ts",
      "**/*.suite.ts",
    ],
    rules: { "no-restricted-imports": "off" },
  },
  // The rules of the product are pure: no input or output, no storage, no transport.
  domain(["apps/*/src/domain/*.ts"], "^\\.\\./"),
  domain(["apps/*/src/domain/*/*.ts"], "^\\.\\./\\.\\./"),
  {
    files: ["libs/rpc/src/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", processOnlyInConfig, noMocks] },
  },
  {
    files: [
      "**/config.ts",
      "libs/embedded-mongo/src/{main,bench}.ts",
      "test/**/*.ts",
      "**/testing/**/*.ts",
      "**/*.test.ts",
      "**/*.suite.ts",
      "samples/**/*.ts",
    ],
    rules: { "no-restricted-syntax": ["error", noMocks], "no-console": "off" },
  },
  {
    files: ["**/*.test.ts", "**/*.suite.ts", "test/**/*.ts"],
    rules: {
      // Answers over REST are looked at as they come, without a type.
      "@typescript-eslint/no-explicit-any": "off",
      "@typescript-eslint/unbound-method": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-return": "off",
    },
  },
);
