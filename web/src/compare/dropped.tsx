/** The list of packets that the user drops, to be taken back or added to by number. */

import { useState } from "preact/hooks";
import { described, includes, type Drop } from "./drops";

interface Props {
  drops: readonly Drop[];
  onToggle(drop: Drop): void;
  onClear(): void;
}

export function Dropped({ drops, onToggle, onClear }: Props) {
  const [text, setText] = useState("");
  const number = Number(text);
  const isSound = text.trim() !== "" && Number.isSafeInteger(number) && number >= 0;
  const add = () => {
    if (!isSound) return;
    if (!includes(drops, [number, 1])) onToggle([number, 1]);
    setText("");
  };
  return (
    <section class="dropped" aria-label="Dropped packets">
      <span class="adding">
        <label>packet number <input type="text" inputMode="numeric" value={text} onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => { if (e.key === "Enter") { e.preventDefault(); add(); } }} /></label>
        <button type="button" disabled={!isSound} onClick={add}>Drop</button>
      </span>
      {drops.length === 0 ? (
        <span class="help">No packet is dropped yet: click one in the graph, or give its number.</span>
      ) : (
        <>
          <span>Dropped:</span>
          <ul>
            {drops.map((drop) => (
              <li key={drop.join(" ")}>
                {described(drop)} <button type="button" aria-label={`Take back the drop of ${described(drop)}`} onClick={() => onToggle(drop)}>×</button>
              </li>
            ))}
          </ul>
          <button type="button" onClick={onClear}>Take all back</button>
        </>
      )}
    </section>
  );
}
