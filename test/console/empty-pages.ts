/** The IDs of what is empty. */
export interface Empty {
  /** A project with nothing in it. */
  readonly projectId: string;
  /** A project with a classifier without routes and a model without a schema. */
  readonly begun: { readonly projectId: string; readonly classifier: string; readonly model: string };
  /** A project in which a model with a schema has no values yet. */
  readonly used: { readonly projectId: string; readonly model: string };
}

/** A page without anything to list: what it says, and the link or button for the next step, which leads to a page or opens a dialog. */
export interface EmptyPage {
  readonly address: (ids: Empty) => string;
  readonly text: string;
  readonly link?: string;
  readonly button?: string;
  /** The heading of the page, or the title of the dialog. */
  readonly leadsTo: string;
}

const inEmpty =
  (rest: string) =>
  ({ projectId }: Empty): string =>
    `/projects/${projectId}/${rest}`;
const ofClassifier =
  (rest: string) =>
  ({ begun: { projectId, classifier } }: Empty): string =>
    `/projects/${projectId}/classifiers/${classifier}${rest}`;
const ofModel =
  (rest: string) =>
  ({ begun: { projectId, model } }: Empty): string =>
    `/projects/${projectId}/models/${model}${rest}`;

const tries = { link: "Try a document", leadsTo: "Try it" };

/** What the pages of projects say when they are empty. */
export const emptyPages: Readonly<Record<string, EmptyPage>> = {
  "the review list": { address: inEmpty("inbox"), text: "Nothing needs a review.", ...tries },
  "the classifications": {
    address: inEmpty("inbox?list=classifications"),
    text: "No document has been classified yet.",
    ...tries,
  },
  "the extractions": {
    address: inEmpty("inbox?list=extractions"),
    text: "No document has been extracted yet.",
    ...tries,
  },
  "the page Try it": {
    address: inEmpty("try-it"),
    text: "This project has no classifier yet.",
    link: "Classifiers",
    leadsTo: "Classifiers",
  },
  "the classifiers": {
    address: inEmpty("classifiers"),
    text: "There is no classifier yet. Create one",
    button: "New classifier",
    leadsTo: "New classifier",
  },
  "the routes of a classifier": {
    address: ofClassifier(""),
    text: "There is no route yet",
    button: "Add route",
    leadsTo: "Add route",
  },
  "the quality of a classifier": {
    address: ofClassifier("?tab=quality"),
    text: "Review documents in the inbox",
    link: "Go to the inbox",
    leadsTo: "Inbox",
  },
  "the models": {
    address: inEmpty("models"),
    text: "There is no model yet. Create one",
    button: "New model",
    leadsTo: "New model",
  },
  "the schema of a model": {
    address: ofModel(""),
    text: "This model has no schema yet. Add a table",
    button: "Add table",
    leadsTo: "New table",
  },
  "the versions of a model": {
    address: ofModel("?tab=versions"),
    text: "There is no version yet.",
    link: "Go to the schema",
    leadsTo: "Begun",
  },
  "the deployments of a model": {
    address: ofModel("?tab=deployments"),
    text: "There is no deployment yet.",
    link: "Go to the schema",
    leadsTo: "Begun",
  },
  "the benchmark runs": {
    address: inEmpty("benchmarks"),
    text: "There is no run yet.",
    button: "New run",
    leadsTo: "Start a run",
  },
  "the values of a project": {
    address: inEmpty("values"),
    text: "This project has no model with a schema yet.",
    link: "Go to the models",
    leadsTo: "Models",
  },
  "the values of a model": {
    address: ({ used: { projectId, model } }) => `/projects/${projectId}/values?model=${model}`,
    text: "This model has no values yet.",
    ...tries,
  },
};

/** What the pages of an organization say when it has no project. It begins with a team, a user and a token. */
export const emptyOrganizationPages: Readonly<Record<string, EmptyPage>> = {
  "the console": { address: () => "", text: "No projects", link: "Go to the projects", leadsTo: "Administration" },
  "the projects": {
    address: () => "/administration/projects",
    text: "Your token has no access to any project.",
    button: "New project",
    leadsTo: "New project",
  },
};
