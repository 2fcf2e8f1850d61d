import type { Page } from "playwright-core";

/** The IDs of what the pages show. */
export interface Shown {
  readonly projectId: string;
  readonly classifier: string;
  readonly classification: string;
  readonly extraction: string;
  readonly model: string;
  readonly run: string;
  readonly file: string;
}

/** A page, the paths of the calls that it needs, and words of its data that their responses have and the page shows. */
export interface CalledPage {
  readonly address: (ids: Shown) => string;
  readonly calls: (ids: Shown) => readonly string[];
  readonly data: string;
  /** What is done on the page. */
  readonly act?: (page: Page) => Promise<void>;
}

const inProject =
  (rest: string) =>
  ({ projectId }: Shown): string =>
    `/projects/${projectId}/${rest}`;

const listed = ({ projectId }: Shown): string => `GET /api/v1/projects/${projectId}`;

/** Every page of the console, by what it shows. */
export const pages: Readonly<Record<string, CalledPage>> = {
  "the review list": {
    address: inProject("inbox"),
    calls: (ids) => [`${listed(ids)}/review`, `${listed(ids)}/events`],
    data: "left.txt",
  },
  "the classifications": {
    address: inProject("inbox?list=classifications&status=CLASSIFIED"),
    calls: (ids) => [`${listed(ids)}/classifications?status=CLASSIFIED`],
    data: "invoice.pdf",
  },
  "the extractions": {
    address: inProject("inbox?list=extractions"),
    calls: (ids) => [`${listed(ids)}/extractions`],
    data: "ext_",
  },
  "the review of a classification": {
    address: (ids) => inProject(`inbox/classifications/${ids.classifier}/${ids.classification}`)(ids),
    calls: ({ classifier, classification }) => {
      const record = `GET /api/v1/classify/${classifier}/classifications/${classification}`;
      return [record, `${record}/explanation`, `GET /api/v1/classify/${classifier}/routes`];
    },
    data: "invoice.pdf",
  },
  "the review of an extraction": {
    address: (ids) => inProject(`inbox/extractions/${ids.extraction}`)(ids),
    calls: ({ extraction }) => [`GET /api/v1/extractions/${extraction}`],
    data: "invoice.pdf",
  },
  "a document that is tried": {
    address: inProject("try-it"),
    act: async (page) => {
      const file = { name: "tried.txt", mimeType: "text/plain", buffer: Buffer.from("INVOICE\nTotal due: 12.50") };
      await page.locator('input[type="file"]').setInputFiles(file);
      await page.getByRole("article", { name: "tried.txt" }).getByRole("link").first().waitFor();
    },
    calls: ({ classifier }) => [`POST /api/v1/classify/${classifier}`],
    data: "Invoice",
  },
  "the classifiers": {
    address: inProject("classifiers"),
    calls: ({ projectId }) => [`GET /api/v1/classify?projectId=${projectId}&limit=50`],
    data: "Accounts payable inbox",
  },
  "the routes of a classifier": {
    address: (ids) => inProject(`classifiers/${ids.classifier}`)(ids),
    calls: ({ classifier }) => [`GET /api/v1/classify/${classifier}`],
    data: "Receipt",
  },
  "the settings of a classifier": {
    address: (ids) => inProject(`classifiers/${ids.classifier}?tab=settings`)(ids),
    act: async (page) => {
      await page.getByLabel("Description").fill("It's the $HOME of `mail`");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The settings are saved.").waitFor();
    },
    calls: ({ classifier }) => [`PATCH /api/v1/classify/${classifier}`],
    data: "It's the $HOME of `mail`",
  },
  "the quality of a classifier": {
    address: (ids) => inProject(`classifiers/${ids.classifier}?tab=quality`)(ids),
    calls: ({ classifier }) => [`GET /api/v1/classify/${classifier}/quality`],
    data: "Receipt",
  },
  "the models": {
    address: inProject("models"),
    calls: (ids) => [`${listed(ids)}/deployments`],
    data: "Receipts",
  },
  "the schema of a model": {
    address: (ids) => inProject(`models/${ids.model}`)(ids),
    calls: ({ model }) => [`GET /api/v1/deployments/${model}/configuration`],
    data: "Total amount",
  },
  "the versions of a model": {
    address: (ids) => inProject(`models/${ids.model}?tab=versions`)(ids),
    calls: ({ model }) => [`GET /api/v1/deployments/${model}/configuration/versions`],
    data: "Invoices",
  },
  "the deployments of a model": {
    address: (ids) => inProject(`models/${ids.model}?tab=deployments`)(ids),
    calls: (ids) => [`${listed(ids)}/deployments`],
    data: "Invoices, stable",
  },
  "the benchmark runs": {
    address: inProject("benchmarks"),
    calls: (ids) => [`${listed(ids)}/benchmarks`],
    data: "First run",
  },
  "a benchmark run": {
    address: (ids) => inProject(`benchmarks/${ids.run}`)(ids),
    calls: ({ run }) => [`GET /api/v1/benchmarks/${run}`, `GET /api/v1/benchmarks/${run}/metrics`],
    data: "First run",
  },
  "the files of a run": {
    address: (ids) => inProject(`benchmarks/${ids.run}/files`)(ids),
    calls: ({ run }) => [`GET /api/v1/benchmarks/${run}/files`],
    data: "accepted.pdf",
  },
  "the cells of a file in a run": {
    address: (ids) => inProject(`benchmarks/${ids.run}/files/${ids.file}`)(ids),
    calls: ({ run, file }) => [`GET /api/v1/benchmarks/${run}/files/${file}`],
    data: "accepted.pdf",
  },
  "the comparison of two runs": {
    address: (ids) => inProject(`benchmarks/${ids.run}/comparison`)(ids),
    calls: ({ run }) => [`GET /api/v1/benchmarks/${run}/compare`],
    data: "invoice_date",
  },
  "the gate of a run": {
    address: (ids) => inProject(`benchmarks/${ids.run}/gate`)(ids),
    act: async (page) => {
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByRole("table", { name: "Result by rule" }).waitFor();
    },
    calls: ({ run }) => [`POST /api/v1/benchmarks/${run}:gate`],
    data: "First run",
  },
  "the values": {
    address: (ids) => inProject(`values?model=${ids.model}`)(ids),
    calls: ({ model }) => [`GET /api/v1/deployments/${model}/values`],
    data: "accepted.pdf",
  },
  "the projects": { address: () => "/administration/projects", calls: () => ["GET /api/v1/projects"], data: "payable" },
  "the teams": { address: () => "/administration/teams", calls: () => ["GET /api/v1/teams"], data: "Bookkeepers" },
  "the users": { address: () => "/administration/users", calls: () => ["GET /api/v1/users"], data: "Ada Lovelace" },
  "the tokens": { address: () => "/administration/tokens", calls: () => ["GET /api/v1/tokens"], data: "swo_" },
  "the audit trail": {
    address: () => "/administration/audit",
    calls: () => ["GET /api/v1/audit"],
    data: "user.create",
  },
  "the engines": { address: () => "/administration/engines", calls: () => ["GET /api/v1/engines"], data: "local" },
  "the health": { address: () => "/administration/health", calls: () => ["GET /healthz", "GET /readyz"], data: "" },
};
