/** A number before a unit, in any usual form: `2`, `.5`, `-1.25`. */
const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)`
const CLOCK = /^(?:(\d+):)?([0-5]?\d):([0-5]?\d(?:\.\d+)?)$/

/** Conversion factors between units; unit names are case-insensitive. */
type Scale = Readonly<Record<string, number>>

const SECONDS: Scale = { ms: 0.001, s: 1, sec: 1, min: 60, m: 60, h: 3600 }
/** Powers of 1000, as for disk sizes; KiB and MiB are powers of 1024. */
const KILOBYTES: Scale = { b: 0.001, k: 1, kb: 1, kib: 1.024, m: 1000, mb: 1000, mib: 1048.576 }
const BYTES: Scale = {
  b: 1,
  k: 1e3,
  kb: 1e3,
  kib: 1024,
  m: 1e6,
  mb: 1e6,
  mib: 1024 ** 2,
  g: 1e9,
  gb: 1e9,
  gib: 1024 ** 3,
}
const KILOBITS: Scale = { 'kbit/s': 1, kbps: 1, k: 1, 'mbit/s': 1000, mbps: 1000, m: 1000 }
const HERTZ: Scale = { hz: 1, khz: 1000, k: 1000 }
const POINTS: Scale = { pt: 1, in: 72, cm: 72 / 2.54, mm: 72 / 25.4 }
const DEGREES: Scale = { '°': 1, deg: 1, degrees: 1 }

/** By the row's unit. Unknown units are taken literally. */
const SCALES: Readonly<Record<string, Scale>> = {
  s: SECONDS,
  B: BYTES,
  kB: KILOBYTES,
  'kbit/s': KILOBITS,
  Hz: HERTZ,
  pt: POINTS,
  degrees: DEGREES,
}

/** Parses `1:30` and `00:01:30.5` as seconds. */
function clock(text: string): number | undefined {
  const [, hours = '0', minutes, seconds] = CLOCK.exec(text) ?? []
  return minutes === undefined ? undefined : Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

/** Removes floating-point noise: 0.29 MB is 290 kB, not 290.00000000000006. */
const exact = (value: number): number => Number(value.toPrecision(12))

/**
 * Converts a text with a unit to a number in the row's unit: `2MB` is 2000 kB, `1:30` is 90 s; undefined if not valid.
 */
export function withUnit(text: string, unit: string | undefined): number | undefined {
  if (unit === undefined) return undefined
  const given = text.trim()
  if (unit === 's' && CLOCK.test(given)) return clock(given)
  const [, amount, word = ''] = new RegExp(`^(${NUMBER})\\s*(\\S+)$`).exec(given) ?? []
  if (amount === undefined) return undefined
  const scale = SCALES[unit] ?? { [unit.toLowerCase()]: 1 }
  const lower = word.toLowerCase()
  return Object.hasOwn(scale, lower) ? exact(Number(amount) * scale[lower]!) : undefined
}
