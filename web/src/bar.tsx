/** Copies of a scenario, and a drawing as a file. */

import { useState } from "preact/hooks";
import type { View } from "./address";
import { FORMS } from "./copies";
import type { Table } from "./document";
import { FORMATS, save, type Figure } from "./exports";

interface Props {
  document: Table;
  seed: number;
  view: View;
  /** The drawing to be seen; null where there is none yet. */
  figure: { current: Figure | null };
  say(text: string): void;
}

export function Bar({ document, seed, view, figure, say }: Props) {
  const [link, setLink] = useState(false);
  const copy = async (name: string, text: string) => {
    await navigator.clipboard.writeText(text);
    say(`Copied as ${name}.`);
  };
  const keep = async (format: keyof typeof FORMATS) => {
    if (!figure.current) return say("There is no drawing yet.");
    const { name } = figure.current;
    save(await FORMATS[format](figure.current), `${name}.${format.toLowerCase()}`);
    say(`Saved as ${format}.`);
  };
  const share = async () => {
    await navigator.clipboard.writeText(location.href);
    setLink(true);
    setTimeout(() => setLink(false), 2000);
    say("Copied the address: whoever opens it sees this.");
  };
  return (
    <div class="bar">
      <span class="group" role="group" aria-label="Copy the scenario">
        {FORMS.map(({ name, text }) => (
          <button key={name} type="button" onClick={() => void copy(name, text(figure.current?.document ?? document, seed, view))}>Copy as {name}</button>
        ))}
        <button type="button" onClick={() => void share()}>{link ? "Copied" : "Copy address"}</button>
      </span>
      <span class="group" role="group" aria-label="Save the drawing">
        {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
          <button key={format} type="button" aria-label={`Save as ${format}`} onClick={() => void keep(format)}>{format}</button>
        ))}
      </span>
    </div>
  );
}
