/** Names of marks and lines, and of the keys that move them. */

import { Mark } from "./side";
import { STYLES } from "./panels";

interface Props {
  names: string[];
  colours: string[];
  hasDrops: boolean;
}

export function Legend({ names, colours, hasDrops }: Props) {
  return (
    <>
      <ul class="legend">
        {names.map((name, side) => {
          const { data, again, lost, timeout } = STYLES[side]!;
          const colour = colours[side]!;
          return (
            <li key={side}>
              <strong>{"AB"[side]}: {name}</strong> <Mark shape={data} colour={colour} /> sent <Mark shape={again} colour={colour} /> sent again{" "}
              <Mark shape={lost} colour={colour} /> lost <Mark shape={timeout} colour={colour} /> timeout; lines: ACKs, cwnd; dotted: ssthresh
            </li>
          );
        })}
        {hasDrops && <li>Faint: without the packets that are dropped by order.</li>}
      </ul>
      <p class="help" id="stack-keys">
        Drag to move, Ctrl and the wheel or two fingers to zoom. Keys: ← → from packet to packet, ↑ ↓ from A to B, Enter drops the packet or takes this back, + − 0 zoom, Page Up and Page Down move.
      </p>
    </>
  );
}
