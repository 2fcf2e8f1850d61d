import { Select } from "@mantine/core";
import type { SelectProps } from "@mantine/core";
import { useState } from "react";
import { classifierPage, firstRequests } from "../api/first-requests.ts";
import { useAllItems, useItems } from "../api/queries.ts";

/** What the choice of a classifier needs. */
export interface ClassifierChoiceProps extends Pick<SelectProps, "label" | "value" | "onChange" | "maw"> {
  readonly projectId: string;
  /** What stands for any classifier; undefined if one must be chosen. */
  readonly any?: { readonly placeholder: string; readonly clear: string };
}

/** Chooses one of the classifiers of a project. All of them are requested when someone looks for one, or if a chosen one is not among the first. */
export function ClassifierChoice({ projectId, any, value, ...select }: ClassifierChoiceProps) {
  const [isSought, setSought] = useState(false);
  const { items, query } = useItems(...firstRequests.classifiers(projectId));
  const isMissing = typeof value === "string" && query.isSuccess && !items.some(({ id }) => id === value);
  const all = useAllItems("listClassifiers", { projectId }, { enabled: query.hasNextPage && (isSought || isMissing) });
  return (
    <Select
      {...select}
      value={value ?? null}
      data={(all.data ?? items).map(({ id, name }) => ({ value: id, label: name }))}
      onDropdownOpen={() => setSought(true)}
      limit={classifierPage}
      searchable
      {...(any === undefined
        ? { allowDeselect: false }
        : { placeholder: any.placeholder, clearable: true, clearButtonProps: { "aria-label": any.clear } })}
    />
  );
}
