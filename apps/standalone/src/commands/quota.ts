import { setQuotas } from "@switchyard/configuration";
import type { QuotaChanges } from "@switchyard/configuration";
import { defaultQuotas } from "@switchyard/storage";
import { quotaOptions } from "./command-line.ts";
import { describe, requireOrganization, withConfiguration } from "./organizations.ts";
import type { OrganizationCommandOptions } from "./organizations.ts";

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
