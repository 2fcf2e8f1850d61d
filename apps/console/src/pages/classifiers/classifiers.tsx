import { Route, Switch } from "wouter";
import type { ProjectPageProps } from "../project-page.ts";
import { ClassifierList } from "./classifier-list.tsx";
import { ClassifierPage } from "./classifier-page.tsx";

/** The classifiers of a project: the list, and each of them. */
export function Classifiers({ projectId }: ProjectPageProps) {
  return (
    <Switch>
      <Route path="/:classifierId">
        {({ classifierId }) => <ClassifierPage key={classifierId} projectId={projectId} classifierId={classifierId} />}
      </Route>
      <Route>
        <ClassifierList projectId={projectId} />
      </Route>
    </Switch>
  );
}
