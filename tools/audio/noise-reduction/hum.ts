import { type Decoding, decodeSamples, Framer } from './frames.ts'
import { hannRoot } from './profile.ts'
import { Spectrum } from './spectrum.ts'

/** The audio is searched for hum at this rate, Hz; harmonics up to half of it are found. */
const RATE = 4000
/** Two seconds: lines half a hertz apart are separate. */
const SIZE = 8192
/** At most this much of the audio is searched, seconds. */
const SEARCHED_S = 300
/** Mains frequencies, Hz, and how far the hum is from them: grids and recorders are within a percent. */
const MAINS = [50, 60] as const
const TOLERANCE = 0.01
/** Hum never stops: a line must be there in nearly all windows, the quietest of which count. */
const SHARE = 0.2
/** How far a line is above its neighbourhood at least, a ratio of powers (15 dB). */
const PROMINENCE = 30
/** The neighbourhood of a line, Hz: its own width is left out. */
const NEAR_HZ = 2
const FAR_HZ = 16

/** The power that each frequency has in nearly all windows. */
async function steadySpectrum(decoding: Decoding): Promise<Float64Array | undefined> {
  const spectra: Float32Array[] = []
  const spectrum = new Spectrum(hannRoot(SIZE).map((value) => value * value))
  let frames = 0
  const framer = new Framer(SIZE, 1, ([values]) => {
    // The first three start before the audio; every second is enough.
    if (frames++ < 3 || frames % 2 === 1 || !values) return
    spectrum.load(values)
    spectra.push(Float32Array.from({ length: SIZE / 2 }, (_, bin) => spectrum.power(bin)))
  })
  const mono = { ...decoding, channels: 1 }
  await decodeSamples(mono, (samples) => framer.add(samples), ['-ar', String(RATE), '-t', String(SEARCHED_S)])
  if (spectra.length === 0) return undefined
  const quiet = Math.floor(SHARE * spectra.length)
  return Float64Array.from(
    { length: SIZE / 2 },
    (_, bin) => Float32Array.from(spectra, (powers) => powers[bin] ?? 0).sort()[quiet] ?? 0,
  )
}

const binOf = (hertz: number): number => Math.round((hertz * SIZE) / RATE)

/** The strongest line near a frequency, if it stands out: its frequency, Hz, and its power. */
function lineNear(
  spectrum: Float64Array,
  hertz: number,
  tolerance: number,
): { hertz: number; power: number } | undefined {
  const [from, to] = [binOf(hertz * (1 - tolerance)), binOf(hertz * (1 + tolerance))]
  const at = (bin: number): number => spectrum[bin] ?? 0
  let best = Math.max(1, from)
  for (let bin = best; bin <= Math.min(to, spectrum.length - 2); bin++) if (at(bin) > at(best)) best = bin
  const [near, far] = [binOf(NEAR_HZ), binOf(FAR_HZ)]
  const around = [
    ...spectrum.subarray(Math.max(1, best - far), best - near),
    ...spectrum.subarray(best + near + 1, best + far),
  ]
  const floor = around.sort((a, b) => a - b)[around.length >> 1]
  const power = at(best)
  if (floor === undefined || power < floor * PROMINENCE || power === 0) return undefined
  // The peak of a parabola through the logarithms of three bins.
  const height = (bin: number): number => Math.log(at(bin) + 1e-30)
  const [left, middle, right] = [height(best - 1), height(best), height(best + 1)]
  const shift = (left - right) / (2 * (left - 2 * middle + right) || 1)
  return { hertz: ((best + Math.max(-0.5, Math.min(0.5, shift))) * RATE) / SIZE, power }
}

/** The frequencies, Hz, of the hum of a power supply in a spectrum: its lines at multiples of 50 or 60 Hz. */
export function humLines(spectrum: Float64Array): number[] {
  const found = MAINS.flatMap((mains) => {
    const base = lineNear(spectrum, mains, TOLERANCE) ?? halved(lineNear(spectrum, mains * 2, TOLERANCE))
    if (!base) return []
    const lines: { hertz: number; power: number }[] = []
    let [fundamental, missing] = [base.hertz, 0]
    // Hum has all harmonics, or every second one; further ones are partials of music.
    for (let number = 1; number * mains < RATE / 2 - FAR_HZ && missing < 2; number++) {
      const line = lineNear(spectrum, fundamental * number, 0.6 / (fundamental * number))
      missing = line ? 0 : missing + 1
      if (!line) continue
      lines.push(line)
      // A higher harmonic shows the fundamental more exactly.
      fundamental = line.hertz / number
    }
    // One line can be a note.
    return lines.length < 2 ? [] : [lines]
  })
  const strength = (lines: { power: number }[]): number => lines.reduce((sum, { power }) => sum + power, 0)
  const [strongest = []] = found.sort((one, other) => strength(other) - strength(one))
  return strongest.map(({ hertz }) => hertz)
}

const halved = (line: { hertz: number; power: number } | undefined) => line && { ...line, hertz: line.hertz / 2 }

/**
 * Filters that remove hum and its harmonics, where they are. Higher harmonics drift more, so that their filters are
 * wider; narrow ones spare the notes of music beside them.
 */
export async function humFilters(decoding: Decoding, mode: 'speech' | 'music'): Promise<string[]> {
  const spectrum = await steadySpectrum(decoding)
  const width = (hertz: number): number => (mode === 'music' ? 0.7 + hertz / 400 : 1 + hertz / 100)
  return (spectrum ? humLines(spectrum) : []).map(
    (hertz) => `bandreject=f=${hertz.toFixed(3)}:width_type=h:w=${width(hertz).toFixed(2)}`,
  )
}
