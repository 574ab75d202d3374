/** Scales: values to places on a drawing, and the ticks between. */

export interface Scale {
  at(value: number): number;
  back(place: number): number;
  ticks: number[];
  /** Distance between ticks; 0 on a logarithmic scale. */
  step: number;
}

/** A scale on which `from` lies at `begin` and `to` at `end`, with a tick every `gap` at most. */
export function linear(from: number, to: number, begin: number, end: number, gap: number): Scale {
  const span = to - from || 1;
  const factor = (end - begin) / span;
  const step = roundStep(span / Math.max(1, Math.abs(end - begin) / gap));
  const first = Math.ceil(from / step - 1e-9);
  const last = Math.floor(to / step + 1e-9);
  const ticks = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
  return { at: (value) => begin + (value - from) * factor, back: (place) => from + (place - begin) / factor, ticks, step };
}

/** The same for the logarithms of positive values; the ticks are 1, 2, 5 of each decade where there is room. */
export function logarithmic(from: number, to: number, begin: number, end: number, gap: number): Scale {
  const of = linear(Math.log10(from), Math.log10(to), begin, end, gap);
  const decades = Math.log10(to / from) || 1;
  const room = Math.abs(end - begin) / decades / gap;
  const digits = room >= 3 ? [1, 2, 5] : room >= 2 ? [1, 3] : [1];
  const ticks: number[] = [];
  for (let decade = Math.floor(Math.log10(from)); decade <= Math.ceil(Math.log10(to)); decade++) {
    for (const digit of digits) {
      const tick = Number(`${digit}e${decade}`);
      if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) ticks.push(tick);
    }
  }
  return { at: (value) => of.at(Math.log10(value)), back: (place) => 10 ** of.back(place), ticks, step: 0 };
}

/** The smallest of 1, 2, 5 times a power of ten that is not below `least`. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const digit = [1, 2, 5, 10].find((one) => one * power >= least * (1 - 1e-9))!;
  return digit * power;
}

/** A tick with the decimals that tell it from the next one. */
export function tickText(tick: number, step: number): string {
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return (Math.abs(tick) < step / 2 ? 0 : tick).toFixed(Math.min(9, decimals));
}
