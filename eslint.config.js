import nx from "@nx/eslint-plugin";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";

// The sentences of CONTRIBUTING.md, "Who may import whom": each fails the lint when broken (test/boundaries.test.ts).

const mongooseOnlyInStores = {
  group: ["mongoose", "mongoose/*", "mongodb", "mongodb/*"],
  message:
    "mongoose appears only in libs/storage, libs/change-feed, libs/local-mongod, archives and stores: store.ts or store/*.ts.",
};

const errorsInOnePlace = {
  name: "@connectrpc/connect",
  importNames: ["ConnectError"],
  allowTypeImports: true,
  message: "Errors are made in libs/rpc/src/errors.ts: problem(), invalid(), notFound() and so on.",
};

const environment = "Only config.ts reads the environment.";
const environmentOnlyInConfig = [
  { selector: "MemberExpression[object.name='process'][property.name='env']", message: environment },
  { selector: "MemberExpression[object.name='globalThis'][property.name='process']", message: environment },
  { selector: "VariableDeclarator[init.name='process']", message: environment },
];
const processByImport = { name: "node:process", message: environment };

const noLateImports = {
  selector: "ImportExpression[source.value=/^(mongoose|mongodb)/]",
  message: mongooseOnlyInStores.message,
};

const noModuleState = ["Program >", "Program > ExportNamedDeclaration >"].map((place) => ({
  selector: `${place} VariableDeclaration[kind='let']`,
  message: "No module-level state: make it in a createX function.",
}));

const noMocks = {
  selector: "CallExpression[callee.object.name='jest'][callee.property.name=/^(mock|unstable_mockModule)$/]",
  message: "Pass a fake as an argument, or run the real thing.",
};

/** What files of a domain may import: their neighbours, the contracts, and what is as pure as they are. */
function domain(files, outside) {
  const message = "domain/ imports only contracts' types, its neighbours and pure text functions: no input or output.";
  const pure = "^(?!\\.|@switchyard/contracts/|@switchyard/text$|@bufbuild/protobuf)";
  return {
    files,
    ignores: ["**/*.test.ts", "**/*.suite.ts"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            { regex: pure, message },
            { regex: outside, message },
          ],
        },
      ],
      "no-restricted-globals": ["error", "fetch", "process", "setTimeout", "setInterval"],
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "The time is an argument." },
        { object: "Math", property: "random", message: "Chance is an argument." },
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
      "@typescript-eslint/no-restricted-imports": [
        "error",
        { paths: [errorsInOnePlace, processByImport], patterns: [mongooseOnlyInStores] },
      ],
      "no-restricted-syntax": ["error", ...environmentOnlyInConfig, noLateImports, ...noModuleState, noMocks],
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
      "libs/change-feed/**/*.ts",
      "libs/local-mongod/**/*.ts",
      "apps/standalone/src/archive/**/*.ts",
      "apps/*/src/store.ts",
      "apps/*/src/store/**/*.ts",
      "test/**/*.ts",
      "**/testing/**/*.ts",
    ],
    rules: { "@typescript-eslint/no-restricted-imports": ["error", { paths: [errorsInOnePlace, processByImport] }] },
  },
  // The rules of the product are pure: no input or output, no storage, no transport.
  domain(["apps/*/src/domain/*.ts"], "^\\.\\./"),
  domain(["apps/*/src/domain/*/*.ts"], "^\\.\\./\\.\\./"),
  {
    files: ["libs/rpc/src/**/*.ts"],
    rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns: [mongooseOnlyInStores] }] },
  },
  {
    files: [
      "**/config.ts",
      "libs/embedded-mongo/src/main.ts",
      "test/**/*.ts",
      "**/testing/**/*.ts",
      "**/*.test.ts",
      "**/*.suite.ts",
      "samples/**/*.ts",
    ],
    rules: { "no-restricted-syntax": ["error", noMocks], "no-console": "off" },
  },
  {
    files: ["**/*.test.ts", "**/*.suite.ts", "**/testing/**/*.ts", "test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-restricted-imports": "off",
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
