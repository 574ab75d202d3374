/** Copies of a scenario, and a drawing as a file. */

import { useEffect, useRef, useState } from "preact/hooks";
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
  /** The scenario that is copied where it is not the whole document. */
  copied: { current: Table | null };
  say(text: string): void;
}

/** Characters of an address from which on some programs cut it. */
const LONG = 8000;

/** Notes on the address that was copied. */
function aboutAddress(): string {
  if (location.href.length > LONG) {
    return `Copied the address. It has ${location.href.length} characters, which some programs cut: Copy as TOML keeps the scenario.`;
  }
  // The port is another at each start.
  const isLocal = ["127.0.0.1", "localhost", "[::1]"].includes(location.hostname);
  return isLocal
    ? "Copied the address. For others, put what follows # behind the address of their own page."
    : "Copied the address: whoever opens it sees this.";
}

export function Bar({ document, seed, view, figure, copied, say }: Props) {
  const [link, setLink] = useState(false);
  /** A text that the browser did not take. */
  const [refused, setRefused] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.select(), [refused]);
  /** True if the clipboard has the text: a page that came over plain http has none, and others may refuse. */
  const isTaken = async (text: string): Promise<boolean> => {
    try {
      await navigator.clipboard.writeText(text);
      setRefused("");
      return true;
    } catch {
      setRefused(text);
      say("The browser refuses the clipboard: copy the text from the field.");
      return false;
    }
  };
  const copy = async (name: string, text: string) => {
    if (await isTaken(text)) say(`Copied as ${name}.`);
  };
  const keep = async (format: keyof typeof FORMATS) => {
    if (!figure.current) return say("There is no drawing yet.");
    const { name } = figure.current;
    try {
      save(await FORMATS[format](figure.current), `${name}.${format.toLowerCase()}`);
      say(`Saved as ${format}.`);
    } catch (error) {
      say(`The browser makes no ${format}: ${(error as Error).message}`);
    }
  };
  const capture = async (side: string) => {
    const [made, chosen] = [figure.current, figure.current?.captures?.find((one) => one.side === side)];
    if (!made || !chosen) return say("There is no run yet.");
    save(await chosen.blob(), `${made.name}-${side}.pcapng`);
    say(`Saved the packets of ${side} as pcapng.`);
  };
  const share = async () => {
    if (!(await isTaken(location.href))) return;
    setLink(true);
    setTimeout(() => setLink(false), 2000);
    say(aboutAddress());
  };
  return (
    <div class="bar">
      <span class="group" role="group" aria-label="Copy the scenario">
        {FORMS.map(({ name, text }) => (
          <button key={name} type="button" onClick={() => void copy(name, text(copied.current ?? document, seed, view))}>Copy as {name}</button>
        ))}
        <button type="button" onClick={() => void share()}>{link ? "Copied" : "Copy address"}</button>
      </span>
      <span class="group" role="group" aria-label="Save the drawing">
        <span class="help">Save</span>
        {(Object.keys(FORMATS) as (keyof typeof FORMATS)[]).map((format) => (
          <button key={format} type="button" aria-label={`Save as ${format}`} onClick={() => void keep(format)}>{format}</button>
        ))}
        {view === "compare" && ["A", "B"].map((side) => (
          <button key={side} type="button" title="Packets of the whole run, for Wireshark" aria-label={`Save ${side} as pcapng`}
            onClick={() => capture(side).catch((error: Error) => say(`Not saved: ${error.message}.`))}>{side} as pcapng</button>
        ))}
      </span>
      {refused && <textarea ref={field} class="refused" aria-label="Text to copy" readOnly rows={6} value={refused} />}
    </div>
  );
}
