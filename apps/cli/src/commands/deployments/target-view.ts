import type { Model, ModelOrDeployment } from "@switchyard/client";
import { table, type Column, type View } from "@switchyard/terminal";

const columns: readonly Column[] = [
  { title: "id", content: "id" },
  { title: "name", content: "text" },
  { title: "type" },
  { title: "status" },
  { title: "schema", content: "reference" },
];

/** Formats a model or a deployment. */
export function targetView(target: Omit<ModelOrDeployment, "tableCount" | "deployments">): View {
  const { id, name, type, status, extractionSchemaId } = target;
  return [table(columns, [[id, name, type, status, extractionSchemaId]])];
}

/** Formats models, each with its deployments. */
export function modelView(models: readonly Model[]): View {
  return [
    table(
      [...columns, { title: "tables", right: true }],
      models.flatMap((model) => [
        [model.id, model.name, model.type, model.status, model.extractionSchemaId, model.tableCount],
        ...model.deployments.map(({ id, name, status, extractionSchemaId }) => [
          id,
          name,
          "PRODUCTION",
          status,
          extractionSchemaId,
          null,
        ]),
      ]),
    ),
  ];
}
