import { Route, Switch } from "wouter";
import type { ProjectPageProps } from "../project-page.ts";
import { ModelList } from "./model-list.tsx";
import { ModelPage } from "./model-page.tsx";

/** The models of a project: the list, and each of them. */
export function Models({ projectId }: ProjectPageProps) {
  return (
    <Switch>
      <Route path="/:modelId">
        {({ modelId }) => <ModelPage key={modelId} projectId={projectId} modelId={modelId} />}
      </Route>
      <Route>
        <ModelList projectId={projectId} />
      </Route>
    </Switch>
  );
}
