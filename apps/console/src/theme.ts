import { createTheme, Loader } from "@mantine/core";
import type { CSSVariablesResolver } from "@mantine/core";

/**
 * The look of the console. The shades are those at which text has a contrast of at least 4.5 to 1 with its background, in light and dark
 * (WCAG 2.2, 1.4.3).
 */
export const theme = createTheme({
  primaryColor: "indigo",
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  luminanceThreshold: 0.4,
  fontFamily: "system-ui, sans-serif",
  cursorType: "pointer",
  respectReducedMotion: true,
  // An element without a role cannot have a name, so screen readers would ignore the indicator.
  components: { Loader: Loader.extend({ defaultProps: { role: "status" } }) },
});

/** Less important text, and the colored texts, in shades that meet the same contrast. No orange or yellow does on a light background. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": colors.gray[7],
    "--mantine-color-placeholder": colors.gray[7],
    "--mantine-color-error": colors.red[9],
    "--mantine-color-orange-light-color": "var(--mantine-color-text)",
    "--mantine-color-yellow-light-color": "var(--mantine-color-text)",
  },
  dark: {
    "--mantine-color-dimmed": colors.dark[1],
    "--mantine-color-placeholder": colors.dark[1],
    "--mantine-color-error": colors.red[4],
  },
});
