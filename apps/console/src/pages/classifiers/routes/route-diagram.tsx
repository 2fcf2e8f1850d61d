import "@xyflow/react/dist/base.css";
import { Group, Text, useComputedColorScheme } from "@mantine/core";
import { Controls, Handle, Position, ReactFlow } from "@xyflow/react";
import type { Edge, Node, NodeProps } from "@xyflow/react";
import { useMemo } from "react";
import type { CSSProperties } from "react";
import { texts } from "../../../texts/index.ts";
import { boxSize, colorProjects, layOutDiagram } from "./diagram.ts";
import type { Diagram, DiagramBox } from "./diagram.ts";
import classes from "./route-diagram.module.css";
import type { RouteFacts } from "./route-facts.ts";

/** What the diagram shows. */
export interface RouteDiagramProps {
  readonly classifier: { readonly id: string; readonly name: string };
  readonly facts: readonly RouteFacts[];
}

type BoxNode = Node<{ readonly box: DiagramBox; readonly color: string | undefined }, "box">;

const words = texts.classifiers;
const nodeTypes = { box: Box };
/** The height from which a diagram is moved by hand instead of growing. */
const maxHeight = 560;

/** The way from a classifier over its routes to their targets, in the colors of the projects. What is excluded is gray, with its reason. */
export function RouteDiagram({ classifier, facts }: RouteDiagramProps) {
  const scheme = useComputedColorScheme("light");
  const diagram = useMemo(() => layOutDiagram(classifier, facts), [classifier, facts]);
  const { nodes, edges } = useMemo(() => toFlow(diagram), [diagram]);
  const colors = colorProjects(diagram.projects);
  const isTall = diagram.height + 80 > maxHeight;
  return (
    <section aria-label={words.diagram}>
      <div className={classes["diagram"]} style={{ height: Math.min(diagram.height + 80, maxHeight) }}>
        <ReactFlow
          key={facts.length}
          nodes={nodes}
          edges={edges}
          nodeTypes={nodeTypes}
          colorMode={scheme}
          {...(isTall ? { defaultViewport: { x: 40, y: 20, zoom: 0.9 } } : { fitView: true })}
          fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
          minZoom={0.1}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          panOnScroll={isTall}
          zoomOnScroll={false}
          preventScrolling={isTall}
          onlyRenderVisibleElements={isTall}
        >
          {isTall && <Controls showInteractive={false} />}
        </ReactFlow>
      </div>
      <Group gap="md" mt="xs">
        <Text size="sm" fw={600}>
          {words.legend}:
        </Text>
        {diagram.projects.map(({ id, name }) => (
          <Group key={id} gap={6}>
            <span className={classes["swatch"]} style={{ background: colors.get(id) }} aria-hidden="true" />
            <Text size="sm">{name}</Text>
          </Group>
        ))}
        <Text size="sm" c="dimmed">
          {words.diagramHint}
        </Text>
      </Group>
    </section>
  );
}

function toFlow(diagram: Diagram): { nodes: BoxNode[]; edges: Edge[] } {
  const colors = colorProjects(diagram.projects);
  return {
    nodes: diagram.boxes.map((box) => ({
      id: box.id,
      type: "box",
      position: { x: box.x, y: box.y },
      ...boxSize,
      data: { box, color: box.project && colors.get(box.project.id) },
    })),
    edges: diagram.lines.map(({ id, from, to, projectId, isOut }) => ({
      id,
      source: from,
      target: to,
      style: isOut
        ? { stroke: "var(--mantine-color-dimmed)", strokeDasharray: "4 4" }
        : { stroke: colors.get(projectId), strokeWidth: 2 },
    })),
  };
}

function Box({ data: { box, color } }: NodeProps<BoxNode>) {
  const { kind, name, model, project, reason } = box;
  const style = { "--project-color": color } as CSSProperties;
  return (
    <div className={`${classes["box"]} ${reason === undefined ? "" : classes["out"]}`} style={style} title={name}>
      <Handle type="target" position={Position.Left} className={classes["handle"]} isConnectable={false} />
      <p className={classes["name"]}>{name}</p>
      {kind === "target" && <p>{model === undefined ? words.model : words.ofModel(model)}</p>}
      {kind === "target" && <p>{project?.name}</p>}
      {kind === "route" && <p>{reason === undefined ? words.candidate : words.out(words.reasons[reason])}</p>}
      <Handle type="source" position={Position.Right} className={classes["handle"]} isConnectable={false} />
    </div>
  );
}
