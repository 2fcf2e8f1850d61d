import type { Project } from "@switchyard/client";
import { useState } from "react";
import { useLocation } from "wouter";

/**
 * The project of the pages: that of the address, else the last one of this visit, else the first one. Choosing another one opens the same
 * page of that project, or its first one if the open page is not about a project.
 */
export function useProject(projects: readonly Project[] | undefined): {
  projectId: string | undefined;
  choose: (projectId: string) => void;
} {
  const [location, navigate] = useLocation();
  const [, ofAddress, page] = /^\/projects\/([^/]+)(?:\/([^/]+))?/.exec(location) ?? [];
  const [last, setLast] = useState<string | undefined>(undefined);
  const projectId = ofAddress ?? last ?? projects?.[0]?.id;
  if (ofAddress !== undefined && ofAddress !== last) setLast(ofAddress);
  return { projectId, choose: (id) => navigate(`/projects/${id}${page === undefined ? "" : `/${page}`}`) };
}
