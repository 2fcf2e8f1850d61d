import type { Api } from "./api.ts";
import { demoModels } from "./models.ts";
import type { DemoModel } from "./models.ts";

interface Created {
  id: string;
}

interface RouteBody {
  deploymentId: string;
  targetDeploymentId?: string;
  name: string;
  description: string;
}

/** The classifiers of the demo, by id. */
export interface Demo {
  /** The classifier that routes invoices and receipts within "Accounts payable". */
  inboxId: string;
  /** The global classifier, which routes to all projects. */
  mailroomId: string;
  /** The project and the model of invoices. */
  payableId: string;
  invoicesId: string;
}

/** Creates the projects, models, deployment and classifiers of a new demo organization over the REST API. */
export async function seedDemo(api: Api): Promise<Demo> {
  const payable = await api.post<Created>("/api/v1/projects", { name: "Accounts payable" });
  const legal = await api.post<Created>("/api/v1/projects", { name: "Legal" });
  const projects = { "Accounts payable": payable, Legal: legal };
  const target = async (key: DemoModel["key"]) => {
    const model = demoModels.find((candidate) => candidate.key === key);
    if (model === undefined) throw new Error(`no demo model ${key}`);
    return createModel(api, projects[model.project].id, model);
  };
  const invoice = {
    ...(await target("invoices")),
    name: "Invoice",
    description: "Supplier invoice for goods or services delivered, with amount due and payment terms.",
  };
  const receipt = {
    ...(await target("receipts")),
    name: "Receipt",
    description: "Shop or restaurant receipt for a purchase, printed at a till.",
  };
  const agreement: RouteBody = {
    ...(await target("agreements")),
    name: "Non-disclosure agreement",
    description: "NDA or confidentiality agreement between companies.",
  };
  const create = (name: string) =>
    api.post<Created>("/api/v1/classify", { projectId: payable.id, name, routes: [invoice, receipt] });
  const inbox = await create("Payables inbox");
  const mailroom = await create("Mailroom");
  // Only a global classifier can route to another project.
  await api.post(`/api/v1/classify/${mailroom.id}:makeGlobal`, {});
  await api.post(`/api/v1/classify/${mailroom.id}/routes`, agreement);
  return {
    inboxId: inbox.id,
    mailroomId: mailroom.id,
    payableId: payable.id,
    invoicesId: invoice.deploymentId,
  };
}

/** Creates a model and, if it has one, the deployment that serves its first schema. Returns the id for a route to it. */
async function createModel(
  api: Api,
  projectId: string,
  { name, instructions, tables, columns, laterColumns, deployment }: DemoModel,
): Promise<Pick<RouteBody, "deploymentId" | "targetDeploymentId">> {
  const model = await api.post<Created>(`/api/v1/projects/${projectId}/deployments`, {
    name,
    instructions,
    tables,
    columns,
  });
  if (deployment === undefined) return { deploymentId: model.id };
  const pinned = await api.post<Created>(`/api/v1/deployments/${model.id}/deployments`, { name: deployment });
  const later = { columns: [...columns, ...(laterColumns ?? [])] };
  await api.patch(`/api/v1/deployments/${model.id}/configuration`, later);
  return { deploymentId: model.id, targetDeploymentId: pinned.id };
}
