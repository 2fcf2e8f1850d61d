import { Group, ScrollArea, Stack, Text, Title, VisuallyHidden } from "@mantine/core";
import type { Quality } from "@switchyard/client";
import type { CSSProperties } from "react";
import { toScrolling } from "../../../controls/scrolling.ts";
import { texts } from "../../../texts/index.ts";
import { ExportMenu } from "../../../table/export-menu.tsx";
import { arrangeConfusion } from "./points.ts";
import type { ConfusionLine } from "./points.ts";
import classes from "./quality.module.css";

const words = texts.quality;

/** How many documents of each route were routed where. */
export function ConfusionMatrix({ quality }: { quality: Quality }) {
  const { routeIds, lines } = arrangeConfusion(quality);
  const names = new Map(quality.routes.map(({ routeId, routeName }) => [routeId, routeName]));
  const nameOf = (id: string | null): string =>
    id === null ? words.unclassified : (names.get(id) ?? words.deletedRoute);
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {words.confusion}
      </Title>
      <Text size="sm">{words.confusionHint}</Text>
      <ScrollArea.Autosize mah={520} viewportProps={toScrolling(words.confusion)} type="auto">
        <table
          className={classes["matrix"]}
          style={{ "--columns": routeIds.length + 1 } as CSSProperties}
          aria-label={words.confusion}
        >
          <thead>
            <tr>
              <th scope="col">{words.belongs}</th>
              {routeIds.map((id) => (
                <th key={id} scope="col">
                  {nameOf(id)}
                </th>
              ))}
              <th scope="col">{words.total}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ routeId, cells, total }) => (
              <tr key={routeId}>
                <th scope="row">{nameOf(routeId)}</th>
                {cells.map(({ count, isRight }, position) => (
                  <td
                    key={position}
                    className={isRight ? classes["right"] : count > 0 ? classes["wrong"] : undefined}
                    style={{ "--share": total === 0 ? 0 : count / total } as CSSProperties}
                  >
                    {count}
                    {count > 0 && <VisuallyHidden> {isRight ? words.right : words.wrong}</VisuallyHidden>}
                  </td>
                ))}
                <td>{total}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollArea.Autosize>
      <Group>
        <ExportMenu
          name={words.confusion}
          columns={[
            { title: words.belongs, value: ({ routeId }: ConfusionLine) => nameOf(routeId) },
            ...routeIds.map((id, position) => ({
              title: nameOf(id),
              value: ({ cells }: ConfusionLine) => cells[position]?.count ?? 0,
            })),
            { title: words.total, value: ({ total }: ConfusionLine) => total },
          ]}
          load={() => Promise.resolve(lines)}
        />
      </Group>
    </Stack>
  );
}
