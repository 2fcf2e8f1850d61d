/** What every page of a project gets. */
export interface ProjectPageProps {
  readonly projectId: string;
}
