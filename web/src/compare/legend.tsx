/** Names of marks and lines above the drawing, and how to read and to move it below. */

import { Mark, Stroke } from "./side";
import { STYLES, THRESHOLD } from "./panels";

interface Props {
  names: string[];
  colours: string[];
  hasDrops: boolean;
}

export function Legend({ names, colours, hasDrops }: Props) {
  return (
    <ul class="legend">
      {names.map((name, side) => {
        const { data, again, lost, timeout, dash } = STYLES[side]!;
        const colour = colours[side]!;
        return (
          <li key={side}>
            <strong>{"AB"[side]}: {name}</strong>
            <span><Mark shape={data} colour={colour} /> sent</span> <span><Mark shape={again} colour={colour} /> sent again</span>{" "}
            <span><Mark shape={lost} colour={colour} /> lost</span> <span><Mark shape={timeout} colour={colour} /> timeout</span>{" "}
            <span><Stroke dash={dash} colour={colour} /> ACKs, cwnd, queue</span> <span><Stroke dash={THRESHOLD} colour={colour} /> ssthresh</span>
          </li>
        );
      })}
      <li>× and + stand where a packet is lost, once it has left the queue; a star is both at once.{hasDrops && " Faint: the runs without your drops."}</li>
    </ul>
  );
}

const TERMS: [string, string][] = [
  ["packet", "Number of each data packet at the time at which it is sent. The line follows the ACKs: up to there all has arrived. It stands still while a packet is missing."],
  ["cwnd", "Congestion window: packets that may be under way. Below ssthresh, the slow-start threshold, it grows fast."],
  ["queue", "Packets that wait for the link."],
  ["sojourn", "Time that a packet has spent in the queue, when it leaves."],
  ["losses", "The same in A and B under one seed: at the same times if the channel runs in time, otherwise the n-th packet to reach the channel is lost in both runs or in neither."],
];

export function Guide() {
  return (
    <>
      <p class="help hint">Drag to move, Ctrl and the wheel or two fingers to zoom.</p>
      <details class="help hint">
        <summary>How to read the graph, and its keys</summary>
        <dl>{TERMS.map(([name, text]) => [<dt key={name}>{name}</dt>, <dd key={`${name} text`}>{text}</dd>])}</dl>
        <p id="stack-keys">
          Keys: ← → from packet to packet and to marks of losses, ↑ ↓ from A to B, Enter drops the packet or takes this back, + − 0 zoom, Page Up and Page Down move.
        </p>
      </details>
    </>
  );
}
