/** Positions of a slider and the values that they stand for. */

/** Positions of all sliders go from 0 to this. */
export const STEPS = 200;

export interface Slide {
  position(value: number): number;
  value(position: number): number;
}

/** A logarithmic slider over a decade to both sides of `middle`, or over what is allowed if that is a share. */
export function slide(middle: number, least: number, most: number, whole: boolean): Slide {
  const isShare = least === 0 && most <= 1;
  const around = middle > 0 ? middle : 1;
  const low = isShare ? 1e-4 : Math.max(least, around / 10, whole ? 1 : 0);
  const high = isShare ? most : Math.min(most, Math.max(around * 10, whole ? 10 : 0));
  const first = isShare || least === 0 ? 1 : 0; // the leftmost position is 0 where that is allowed
  const ratio = Math.log(Math.max(high / low, 1 + 1e-9));
  return {
    position: (value) => {
      if (value <= 0) return 0;
      const share = Math.min(1, Math.max(0, Math.log(value / low) / ratio));
      return Math.round(first + share * (STEPS - first));
    },
    value: (position) => {
      if (position < first) return 0;
      if (position >= STEPS) return high;
      const value = low * Math.exp((ratio * (position - first)) / (STEPS - first));
      return whole ? Math.max(Math.ceil(least), Math.round(value)) : Number(value.toPrecision(3));
    },
  };
}
