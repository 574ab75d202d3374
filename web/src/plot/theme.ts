/** Colours of drawings. */

export interface Theme {
  ink: string;
  grid: string;
  paper: string;
  /** Colours that people with any colour vision tell apart. */
  curves: string[];
}

export const LIGHT: Theme = {
  ink: "#24292f", grid: "#d5dbe1", paper: "#ffffff",
  curves: ["#0060a8", "#b8430b", "#00795c", "#a0427c", "#7a6200", "#4a4a4a"],
};

const DARK: Theme = {
  ink: "#d8dee4", grid: "#3a424b", paper: "#12161b",
  curves: ["#62b5f0", "#f0935a", "#3fcfa4", "#e39ac6", "#e0c34a", "#c8c8c8"],
};

export const DASHES = [[], [9, 4], [3, 3], [12, 3, 3, 3], [6, 6], [2, 6]];

/** Tells of a change between light and dark. */
export const preference = globalThis.matchMedia?.("(prefers-color-scheme: dark)");

export function theme(): Theme {
  return preference?.matches ? DARK : LIGHT;
}

export function colour(place: number, of: Theme): string {
  return of.curves[place % of.curves.length]!;
}
