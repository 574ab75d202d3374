/** Properties that every view gets from the page. */

import type { State } from "./address";
import type { Table } from "./document";
import type { Point } from "./explore/points";
import type { Pool } from "./explore/pool";
import type { Figure } from "./exports";

export interface ViewProps {
  pool: Pool;
  /** The last document whose points are known, and these. */
  document: Table;
  points: Point[];
  state: State;
  /** Where a view puts its drawing. */
  figure: { current: Figure | null };
  /** Where a view puts the scenario that copies contain; null for the whole document. */
  copied: { current: Table | null };
  onState(part: Partial<State>): void;
  onProblem(text: string): void;
}
