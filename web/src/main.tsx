/** The page: it loads the core, asks it for the schema, and shows the explorer. */

import { render } from "preact";
import { compiled } from "./core/core";
import type { Table } from "./document";
import { Page } from "./page";
import { Pool } from "./explore/pool";
import { Keys } from "./schema/keys";
import "./style.css";

/** The fragment under which `airtcp explore FILE` opens the page. */
const GIVEN = "#given";

async function given(): Promise<Table | null> {
  if (location.hash !== GIVEN) return null;
  const response = await fetch("given.json");
  return response.ok ? ((await response.json()) as Table) : null;
}

async function begin(place: HTMLElement): Promise<void> {
  const pool = new Pool(await compiled("airtcp.wasm"));
  const [{ head }, document] = await Promise.all([pool.reading.ask({ ask: "schema" }), given()]);
  place.textContent = "";
  render(<Page pool={pool} keys={new Keys(head["schema"] as object)} given={document} />, place);
}

const place = document.getElementById("page")!;
begin(place).catch((error: Error) => {
  place.textContent = `The simulator could not be loaded: ${error.message}`;
});
