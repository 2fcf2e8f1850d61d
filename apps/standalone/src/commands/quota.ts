import { setQuotas } from "@switchyard/configuration";
import type { QuotaChanges } from "@switchyard/configuration";
import { defaultQuotas } from "@switchyard/storage";
import type { Quotas } from "@switchyard/storage";
import { describe, requireOrganization, withConfiguration } from "./organizations.ts";
import type { OrganizationCommandOptions } from "./organizations.ts";

/** The quotas with the names of their options, and the unit of those that are not numbers of something. */
export const quotaOptions: readonly { quota: keyof Quotas; name: string; unit: number; description: string }[] = [
  { quota: "classifiers", name: "classifiers", unit: 1, description: "the number of classifiers" },
  { quota: "models", name: "models", unit: 1, description: "the number of models" },
  { quota: "schemaVersions", name: "schema-versions", unit: 1, description: "the number of versions of schemas" },
  { quota: "storedBytes", name: "stored-gigabytes", unit: 1024 ** 3, description: "the size of all files in GiB" },
];

/**
 * Changes the quotas of the organization with this id or name, and prints all of them. Throws if there is no such organization, or if
 * several have the name.
 */
export async function changeQuotas(
  { uri, output }: Pick<OrganizationCommandOptions, "uri" | "output">,
  idOrName: string,
  changes: QuotaChanges,
): Promise<void> {
  await withConfiguration(uri, async (storage) => {
    const organization = await requireOrganization(storage, idOrName);
    const quotas = await setQuotas(storage, organization.id, changes);
    output.error(`Quotas of ${describe(organization)}:\n`);
    for (const { quota, name, unit } of quotaOptions) {
      const isDefault = quotas[quota] === defaultQuotas[quota] ? " (default)" : "";
      output.out(`${name.padEnd(18)}${quotas[quota] / unit}${isDefault}\n`);
    }
  });
}
