import { Title } from "@mantine/core";
import type { TitleProps } from "@mantine/core";
import { createContext, useContext, useEffect } from "react";

/** The name of the project that the pages inside are about; undefined for those of the organization. */
export const ProjectNameContext = createContext<string | undefined>(undefined);

/** What the heading of a page needs. */
export interface PageTitleProps extends Pick<TitleProps, "size"> {
  /** The name of the part of the page that is open, if it is not the first one. */
  readonly part?: string | undefined;
  readonly children: string;
}

/** The heading of a page. It names the tab of the browser and the entry of its history too, with the open part and the project. */
export function PageTitle({ part, children, size = "h2" }: PageTitleProps) {
  const project = useContext(ProjectNameContext);
  useTabTitle([part, children, project, "Switchyard"]);
  return (
    <Title order={1} size={size}>
      {children}
    </Title>
  );
}

/** Names the tab of the browser. Absent words are left out. */
export function useTabTitle(words: readonly (string | undefined)[]): void {
  const title = words.filter((word) => word !== undefined).join(" · ");
  useEffect(() => {
    document.title = title;
  }, [title]);
}
