/** Student's t distribution: its quantiles, by the incomplete beta function. */

/** Lanczos' coefficients for g = 7 and nine terms, good to 1e-15. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

function logGamma(x: number): number {
  const shifted = x - 1;
  let sum = LANCZOS[0]!;
  for (let i = 1; i < LANCZOS.length; i++) sum += LANCZOS[i]! / (shifted + i);
  const t = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The regularised incomplete beta function, by its continued fraction. */
function beta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges fast below the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - beta(1 - x, b, a);
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  );
  let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  for (let m = 1; m < 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d);
    c = 1 + even / c;
    fraction *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d);
    c = 1 + odd / c;
    const change = c * d;
    fraction *= change;
    if (Math.abs(change - 1) < 1e-16) break;
  }
  return (front * fraction) / a;
}

/** Probability of a value above t, t >= 0. */
function upperTail(t: number, freedom: number): number {
  return 0.5 * beta(freedom / (freedom + t * t), freedom / 2, 0.5);
}

const known = new Map<string, number>();

/** The quantile of `probability`, in (0.5, 1), with so many degrees of freedom. */
export function quantile(probability: number, freedom: number): number {
  const key = `${probability} ${freedom}`;
  let found = known.get(key);
  if (found === undefined) known.set(key, (found = solved(1 - probability, freedom)));
  return found;
}

function solved(tail: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (upperTail(high, freedom) > tail) high *= 2;
  for (;;) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) return middle;
    if (upperTail(middle, freedom) > tail) low = middle;
    else high = middle;
  }
}
