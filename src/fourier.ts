/** Complex numbers: real and imaginary parts. */
export interface Complex {
  re: Float64Array
  im: Float64Array
}

/** One stage: `radix` parts of the input, each of `size`, with `stride` interleaved transforms. */
interface Step {
  radix: number
  size: number
  stride: number
  /** The twiddle factor of each input of each output of each part. */
  turns: Complex
}

/** The prime factors of a length, smallest first. */
function factorsOf(length: number): number[] {
  const factors: number[] = []
  for (let rest = length, prime = 2; rest > 1; )
    if (rest % prime === 0) {
      factors.push(prime)
      rest /= prime
    } else prime += 1
  return factors
}

function stepsOf(length: number): Step[] {
  let [size, stride] = [length, 1]
  return factorsOf(length).map((radix) => {
    size /= radix
    const turns = { re: new Float64Array(size * radix * radix), im: new Float64Array(size * radix * radix) }
    for (let part = 0, at = 0; part < size; part += 1)
      for (let output = 0; output < radix; output += 1)
        for (let input = 0; input < radix; input += 1, at += 1) {
          // First within the small transform, then from it to its place in the large one.
          const angle = (-2 * Math.PI * output * (input * size + part) * stride) / length
          turns.re[at] = Math.cos(angle)
          turns.im[at] = Math.sin(angle)
        }
    const step = { radix, size, stride, turns }
    stride *= radix
    return step
  })
}

/** The hot loop for powers of two: both outputs at once, of which the second has the opposite sign. */
function runPairs({ size, stride, turns }: Step, from: Complex, to: Complex): void {
  const { re: fromRe, im: fromIm } = from
  const { re: toRe, im: toIm } = to
  const half = stride * size
  for (let part = 0; part < size; part += 1) {
    const cosine = turns.re[4 * part + 2] ?? 0
    const sine = turns.im[4 * part + 2] ?? 0
    const end = stride * (part + 1)
    for (let at = stride * part, into = 2 * at; at < end; at += 1, into += 1) {
      const aRe = fromRe[at] ?? 0
      const aIm = fromIm[at] ?? 0
      const bRe = fromRe[at + half] ?? 0
      const bIm = fromIm[at + half] ?? 0
      toRe[into] = aRe + bRe
      toIm[into] = aIm + bIm
      toRe[into + stride] = (aRe - bRe) * cosine - (aIm - bIm) * sine
      toIm[into + stride] = (aRe - bRe) * sine + (aIm - bIm) * cosine
    }
  }
}

/** The hot loop: plain numbers only. */
function run({ radix, size, stride, turns }: Step, from: Complex, to: Complex): void {
  for (let part = 0; part < size; part += 1)
    for (let output = 0; output < radix; output += 1) {
      const firstTurn = (part * radix + output) * radix
      const into = stride * (radix * part + output)
      for (let beside = 0; beside < stride; beside += 1) {
        let re = 0
        let im = 0
        for (let input = 0; input < radix; input += 1) {
          const at = beside + stride * (part + size * input)
          const cosine = turns.re[firstTurn + input]!
          const sine = turns.im[firstTurn + input]!
          re += from.re[at]! * cosine - from.im[at]! * sine
          im += from.re[at]! * sine + from.im[at]! * cosine
        }
        to.re[into + beside] = re
        to.im[into + beside] = im
      }
    }
}

/**
 * A discrete Fourier transform for a fixed length with small prime factors (400 = 2⁴ · 5²), by Stockham's method: each
 * stage writes its results in order, so no reordering is needed at the end.
 * @returns a function that transforms its argument in place
 */
export function fourierTransform(length: number): (values: Complex) => void {
  const steps = stepsOf(length)
  const spare: Complex = { re: new Float64Array(length), im: new Float64Array(length) }
  return (values) => {
    let from = values
    let to = spare
    for (const step of steps) {
      if (step.radix === 2) runPairs(step, from, to)
      else run(step, from, to)
      ;[from, to] = [to, from]
    }
    if (from === values) return
    values.re.set(from.re)
    values.im.set(from.im)
  }
}
