import nx from "@nx/eslint-plugin";
import regexp from "eslint-plugin-regexp";
import { defineConfig } from "eslint/config";
import typescript from "typescript-eslint";
import noModuleState from "./eslint.module-state.js";

// The sentences of CONTRIBUTING.md, "Import rules": breaking one fails the lint (test/boundaries.test.ts).

/** The libraries that the production code of each project may import. Tests and builds may also import the tools below. */
const scopes = {
  contracts: [],
  text: [],
  environment: [],
  terminal: [],
  threads: [],
  statistics: [],
  packaging: [],
  engines: [],
  client: [],
  matching: ["contracts", "text"],
  rest: ["contracts", "text"],
  rpc: ["contracts", "text"],
  access: ["contracts", "rpc", "environment"],
  storage: ["contracts", "rpc", "access"],
  "change-feed": ["contracts", "rpc", "access", "storage"],
  service: ["rpc", "access", "storage", "environment"],
  "local-mongod": ["rpc"],
  "embedded-mongo": ["environment", "threads"],
  configuration: ["contracts", "rpc", "access", "storage", "service", "environment", "text", "matching", "engines"],
  benchmark: [
    ...["contracts", "rpc", "access", "storage", "service", "environment", "text", "change-feed", "statistics"],
    "matching",
  ],
  classifier: [
    ...["contracts", "rpc", "access", "storage", "service", "environment", "text", "change-feed", "threads"],
    ...["statistics", "engines"],
  ],
  extraction: [
    ...["contracts", "rpc", "access", "storage", "service", "environment", "text", "change-feed", "threads"],
    ...["matching", "statistics", "engines"],
  ],
  gateway: ["contracts", "rest", "rpc", "access", "environment"],
  cli: ["client", "terminal"],
  console: ["client"],
};
const tools = ["embedded-mongo", "local-mongod", "packaging"];

/** The rule about projects: what each imports by its type, and by its scope. `others` are libraries that every scope may import. */
function moduleBoundaries(others) {
  const depConstraints = [
    { sourceTag: "type:test", onlyDependOnLibsWithTags: ["*"] },
    { sourceTag: "type:composition", onlyDependOnLibsWithTags: ["type:app", "type:lib", "type:contract"] },
    { sourceTag: "type:app", onlyDependOnLibsWithTags: ["type:lib", "type:contract"] },
    { sourceTag: "type:lib", onlyDependOnLibsWithTags: ["type:lib", "type:contract"] },
    { sourceTag: "type:contract", onlyDependOnLibsWithTags: [] },
    ...Object.entries(scopes).map(([scope, targets]) => ({
      sourceTag: `scope:${scope}`,
      onlyDependOnLibsWithTags: [...targets, ...others].map((target) => `scope:${target}`),
    })),
  ];
  return ["error", { enforceBuildableLibDependency: false, banTransitiveDependencies: false, depConstraints }];
}

const mongooseOnlyInStores = {
  group: ["mongoose", "mongoose/*", "mongodb", "mongodb/*"],
  message:
    "mongoose appears only in libs/storage, libs/change-feed, libs/local-mongod, archives and stores: store.ts or store/*.ts.",
};

const storesBelowServices = {
  regex: "^\\.\\.?/(.*/)?service(/|\\.ts$)|^@switchyard/service$",
  message: "A store does not import the service that uses it.",
};

const noTestCode = {
  regex: "(^|/)testing(/|$)|\\.(test|suite)(\\.ts)?$",
  message: "Production code does not import test code.",
};

const errorsInOnePlace = {
  name: "@connectrpc/connect",
  importNames: ["ConnectError"],
  allowTypeImports: true,
  message: "Errors are made in libs/rpc/src/errors.ts: problem(), invalid(), notFound() and so on.",
};

const environment = "Only config.ts reads the environment.";
const processByImport = ["process", "node:process"].map((name) => ({ name, message: environment }));
const globalObject = "/^(globalThis|global|self|window)$/";
const environmentOnlyInConfig = [
  "MemberExpression[object.name='process'][property.name='env']",
  // Also `process["env"]`, and a name that is computed.
  "MemberExpression[object.name='process'][computed=true]",
  `MemberExpression[object.name=${globalObject}][property.name='process']`,
  `MemberExpression[object.name=${globalObject}][computed=true]`,
  // Also `const { env } = process` and `const { process } = globalThis`.
  `VariableDeclarator[init.name=/^(process|globalThis|global)$/]`,
  `:matches(AssignmentExpression, AssignmentPattern)[right.name=/^(process|globalThis|global)$/]`,
  "MemberExpression[object.type='TSAsExpression'][object.expression.name=/^(process|globalThis|global)$/]",
].map((selector) => ({ selector, message: environment }));

const noLateImports = [
  { selector: "ImportExpression[source.value=/^(mongoose|mongodb)/]", message: mongooseOnlyInStores.message },
  { selector: "ImportExpression[source.value=/^(node:)?process$/]", message: environment },
];

const noMocks = {
  selector: "CallExpression[callee.object.name=/^(vi|vitest)$/][callee.property.name=/^(do)?mock$/i]",
  message: "Pass a fake as an argument, or run the real thing.",
};

const restrictedSyntax = [...environmentOnlyInConfig, ...noLateImports, noMocks];

/** The rule about what production code imports, with the restrictions that hold in its place. */
function restrictedImports({ paths = [errorsInOnePlace], patterns = [] }) {
  return {
    "@typescript-eslint/no-restricted-imports": [
      "error",
      { paths: [...paths, ...processByImport], patterns: [noTestCode, ...patterns] },
    ],
  };
}

const tests = ["**/*.test.ts", "**/*.suite.ts", "**/testing/**/*.ts", "test/**/*.ts"];

const time = "The time is an argument.";
const chance = "Chance is an argument.";
const noIo = "A pure function does no input or output, and starts nothing.";

/** The rules of folders of pure functions. They import their neighbors, the contracts, and what is as pure as they are. */
function pure(folder) {
  const message =
    "A pure function imports only contracts' types, its neighbors and libraries of pure functions: no input or output.";
  const others = {
    regex: "^(?!\\.|@switchyard/contracts/|@switchyard/(text|statistics|matching|engines)$|@bufbuild/protobuf)",
    message,
  };
  // The rules write the question to a language model, and read its answer; asking it is not part of them.
  const port = { regex: "^@switchyard/engines$", allowTypeImports: true, message };
  const io = [
    "fetch",
    "process",
    "require",
    "globalThis",
    "global",
    "navigator",
    "setTimeout",
    "setInterval",
    "setImmediate",
  ]
    .concat(["clearTimeout", "clearInterval", "clearImmediate", "queueMicrotask", "scheduler", "Worker", "WebSocket"])
    .concat(["EventSource", "XMLHttpRequest", "BroadcastChannel", "MessageChannel", "localStorage", "sessionStorage"]);
  const properties = [
    { object: "Date", property: "now", message: time },
    { object: "Temporal", property: "Now", message: time },
    { object: "Math", property: "random", message: chance },
  ];
  return [0, 1, 2, 3, 4].map((depth) => ({
    files: [`${folder}/${"*/".repeat(depth)}*.ts`],
    ignores: tests,
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            noTestCode,
            others,
            port,
            { regex: `^\\./(\\.\\./){${depth + 1}}|^(\\.\\./){${depth + 1}}`, message },
          ],
        },
      ],
      "no-restricted-globals": [
        "error",
        ...io.map((name) => ({ name, message: noIo })),
        { name: "performance", message: time },
        { name: "crypto", message: chance },
      ],
      "no-restricted-properties": ["error", ...properties],
      "no-restricted-syntax": [
        "error",
        ...restrictedSyntax,
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: time },
        { selector: "CallExpression[callee.name='Date']", message: time },
        { selector: "ImportExpression", message: "A pure function loads nothing: import it at the top." },
        { selector: "MemberExpression[object.type='MetaProperty']", message: noIo },
        // Under another name, the two rules about properties would no longer see them.
        {
          selector: "VariableDeclarator[init.name=/^(Date|Math)$/][id.type='Identifier']",
          message: `${time} ${chance}`,
        },
      ],
    },
  }));
}

export default defineConfig(
  { ignores: ["**/gen/**", "**/dist/**", "**/node_modules/**", ".nx/**", "**/*.js"] },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [typescript.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { "@nx": nx, regexp, switchyard: { rules: { "no-module-state": noModuleState } } },
    rules: {
      "@nx/enforce-module-boundaries": moduleBoundaries([]),
      ...restrictedImports({ patterns: [mongooseOnlyInStores] }),
      "no-restricted-syntax": ["error", ...restrictedSyntax],
      "switchyard/no-module-state": "error",
      "no-console": "error",
      // A text that takes its time out of all proportion to its length would stop the server.
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "separate-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      // RPCs and async generators of the contracts are async by their type, even if they await nothing.
      "@typescript-eslint/require-await": "off",
    },
  },
  {
    files: [
      "libs/storage/**/*.ts",
      "libs/change-feed/**/*.ts",
      "libs/local-mongod/**/*.ts",
      "apps/standalone/src/archive/**/*.ts",
    ],
    rules: restrictedImports({}),
  },
  {
    files: ["apps/*/src/store*.ts", "apps/*/src/store*/**/*.ts"],
    rules: restrictedImports({ patterns: [storesBelowServices] }),
  },
  { files: ["libs/rpc/src/**/*.ts"], rules: restrictedImports({ paths: [], patterns: [mongooseOnlyInStores] }) },
  // The rules of the product, and functions over text and figures: no input or output, no storage, no transport, no clock, no chance.
  ...pure("**/domain"),
  ...pure("libs/text/src"),
  ...pure("libs/statistics/src"),
  ...pure("libs/matching/src"),
  {
    files: ["**/config.ts", "libs/embedded-mongo/src/main.ts", ...tests, "samples/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", noMocks], "no-console": "off" },
  },
  {
    files: [...tests, "**/build.ts", "samples/**/*.ts"],
    rules: { "@nx/enforce-module-boundaries": moduleBoundaries(tools), "switchyard/no-module-state": "off" },
  },
  // Sample documents are drawn as the documents of tests are.
  { files: ["samples/**/*.ts"], rules: { "@typescript-eslint/no-restricted-imports": "off" } },
  {
    files: tests,
    rules: {
      "@typescript-eslint/no-restricted-imports": "off",
      // REST responses are checked as they are, without a type.
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
