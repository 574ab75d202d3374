/** Levels of detail: so many points that pixels tell them apart, and no fewer. */

/** Place of the first of ascending `values` that is not below `least`. */
export function firstFrom(values: ArrayLike<number>, least: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Points of a line that looks like one through all places `from` to `to`: in each column of pixels the first, the lowest,
 * the highest and the last. With `isStepped` a value holds until the next.
 */
export function thinnedLine(
  from: number, to: number, x: (place: number) => number, y: (place: number) => number, isStepped: boolean,
): number[] {
  const found: number[] = [];
  let before = NaN;
  const add = (px: number, py: number) => {
    if (isStepped && found.length > 0) found.push(px, before);
    found.push(px, py);
    before = py;
  };
  for (let place = from; place < to; ) {
    const [px, first] = [x(place), y(place)];
    let [low, high, last, next] = [first, first, first, place + 1];
    for (; next < to && x(next) - px < 1; next++) {
      last = y(next);
      if (last < low) low = last;
      if (last > high) high = last;
    }
    add(px, first);
    if (next - place > 1) {
      found.push(px, low, px, high, px, last);
      before = last;
    }
    place = next;
  }
  return found;
}

/** Pixels that points lie in, each once, as rectangles that join those on top of each other. */
export class Raster {
  private readonly cells: Uint8Array;

  constructor(private readonly left: number, private readonly top: number, private readonly width: number, private readonly height: number) {
    this.cells = new Uint8Array(width * height);
  }

  /** Takes a point; false if one was in this pixel already, or if it lies outside. */
  add(x: number, y: number): boolean {
    const [column, row] = [Math.floor(x - this.left), Math.floor(y - this.top)];
    if (column < 0 || row < 0 || column >= this.width || row >= this.height) return false;
    const cell = column * this.height + row;
    if (this.cells[cell] === 1) return false;
    this.cells[cell] = 1;
    return true;
  }

  /** x, y, width, height of the rectangles, each pixel drawn `size` wide. */
  rectangles(size: number): number[] {
    const { cells, width, height, left, top } = this;
    const found: number[] = [];
    const aside = (size - 1) / 2;
    for (let column = 0; column < width; column++) {
      const end = (column + 1) * height;
      for (let cell = column * height; cell < end; cell++) {
        if (cells[cell] === 0) continue;
        const first = cell;
        while (cell < end && cells[cell] === 1) cell++;
        const row = first - column * height;
        found.push(left + column - aside, top + row - aside, size, cell - first + size - 1);
      }
    }
    return found;
  }
}
