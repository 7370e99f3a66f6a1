import { firstOf } from '../../../../src/lists.ts'
import { candidatesOf } from './candidates.ts'
import { type Component, componentsOf } from './components.ts'
import { type Evidence, evidenceOf, spreadOf } from './evidence.ts'
import { dilated, inverted, type Plane } from './plane.ts'

/** Default and minimum threshold (catalogue). */
const USUAL = 130
const LOWEST = 90

/**
 * Minimum damage to be certain: total scratch length in shorter sides, or number of specks. At the lowest threshold any
 * damage is.
 */
const MUCH = { scratches: 0.75, specks: 12 } as const

/**
 * A scratch: minimum length, maximum thickness (px and shares of the shorter side), and minimum ratio of length to
 * thickness.
 */
const SCRATCH = { length: { least: 20, part: 0.06 }, thickness: { least: 7, part: 0.009 }, slender: 6 } as const

/**
 * A speck: maximum length (px and share), minimum share of its box that it fills, and maximum ratio of length to width.
 */
const SPECK = { length: { least: 11, part: 0.0154 }, fill: 0.5, oblong: 2, pixels: 8 } as const

/**
 * A piece continues a scratch if it is this close to its line (px and times its thickness) and within this distance
 * (share).
 */
const GOES_ON = { aside: 3, thickness: 1.5, distance: 0.1, level: 0.15, contrast: 0.6 } as const

/** A damaged area has soft edges: it is expanded by this many pixels on all sides. */
const SOFT_EDGE = 2

export interface Damage {
  /** 1 where the image is damaged. */
  mask: Uint8Array
  scratches: number
  specks: number
  /** Whether it is enough to distinguish damage from image content. */
  isMuch: boolean
}

interface Candidate extends Component {
  evidence: Evidence
}

/** Required evidence. */
interface Demand {
  /** The shorter side of the image, px. */
  shorter: number
  /** Minimum contrast of a short scratch, 0 to 255. */
  contrast: number
  /** Maximum unevenness, as a share of the contrast. */
  unevenness: number
  /** Minimum share that is brighter than everything around it. */
  unique: number
  /** Maximum share of the surroundings that stands out as well. */
  crowd: number
  /** Minimum brightness difference of specks, as a multiple of the variation around them. */
  plain: number
}

function isScratch({ length, thickness, evidence }: Candidate, { shorter, ...demand }: Demand): boolean {
  // Photos contain few long, straight and even structures: these need less evidence.
  const leniency = Math.min(2, length / Math.max(2 * SCRATCH.length.least, 0.12 * shorter))
  return (
    length >= Math.max(SCRATCH.length.least, shorter * SCRATCH.length.part) &&
    length >= SCRATCH.slender * thickness &&
    thickness <= Math.max(SCRATCH.thickness.least, shorter * SCRATCH.thickness.part) &&
    evidence.contrast >= demand.contrast / leniency &&
    evidence.unevenness <= Math.max(2, demand.unevenness * leniency * evidence.contrast) &&
    evidence.unique >= demand.unique &&
    evidence.crowd <= demand.crowd &&
    evidence.alikeSides >= 0.7 &&
    evidence.atBorder < 0.5
  )
}

/** Lightness of the pixels around a component, except the nearest two. */
function ringOf({ pixels }: Component, { data, width, height }: Plane, shorter: number): number[] {
  const [left, right] = [Math.min(...pixels.map((at) => at % width)), Math.max(...pixels.map((at) => at % width))]
  const [top, bottom] = [Math.floor(firstOf(pixels) / width), Math.floor(Math.max(...pixels) / width)]
  const breadth = Math.max(6, Math.round(0.006 * shorter)) + 2
  const ring: number[] = []
  for (let y = Math.max(0, top - breadth); y <= Math.min(height - 1, bottom + breadth); y += 1)
    for (let x = Math.max(0, left - breadth); x <= Math.min(width - 1, right + breadth); x += 1)
      if (x < left - 2 || x > right + 2 || y < top - 2 || y > bottom + 2) ring.push(data[y * width + x]!)
  return ring.sort((one, other) => one - other)
}

/** A speck is flat, and on a plain background. */
function isSpeck(candidate: Candidate, light: Plane, { shorter, ...demand }: Demand): boolean {
  const { pixels, length, breadth, evidence } = candidate
  if (
    pixels.length < SPECK.pixels ||
    length > Math.max(SPECK.length.least, shorter * SPECK.length.part) ||
    length > SPECK.oblong * breadth ||
    pixels.length < SPECK.fill * length * breadth ||
    evidence.unique < demand.unique ||
    evidence.crowd > demand.crowd / 2 ||
    evidence.atBorder >= 0.5
  )
    return false
  const brightest = pixels.map((at) => light.data[at]!).sort((one, other) => other - one)
  const core = brightest.slice(0, Math.ceil(0.3 * brightest.length))
  const ring = ringOf(candidate, light, shorter)
  const quantile = (part: number): number => ring[Math.floor(ring.length * part)] ?? 0
  const peak = core.reduce((sum, value) => sum + value, 0) / core.length - quantile(0.5)
  return (
    peak >= 1.2 * demand.contrast &&
    peak >= demand.plain * (quantile(0.9) - quantile(0.1)) &&
    spreadOf(core) <= Math.max(3, demand.unevenness * peak)
  )
}

/** Whether a piece is on the line of a scratch, near its ends, and looks like it. */
function goesOn(scratch: Candidate, piece: Candidate, { shorter, ...demand }: Demand): boolean {
  const { axis, centre, evidence } = scratch
  if (piece.evidence.contrast < GOES_ON.contrast * demand.contrast) return false
  if (Math.abs(piece.evidence.level - evidence.level) > GOES_ON.level * evidence.contrast) return false
  if (piece.thickness > 2 * scratch.thickness + 1) return false
  const aside = Math.max(GOES_ON.aside, GOES_ON.thickness * scratch.thickness)
  return [-0.5, 0.5].every((end) => {
    const x = piece.centre.x + end * piece.length * piece.axis.x - centre.x
    const y = piece.centre.y + end * piece.length * piece.axis.y - centre.y
    const along = Math.abs(x * axis.x + y * axis.y)
    return Math.abs(y * axis.x - x * axis.y) <= aside && along <= scratch.length / 2 + GOES_ON.distance * shorter
  })
}

/** The range of lightness that an image uses, 0.35 to 1: faded photos have faint scratches. */
function contrastOf({ data }: Plane): number {
  const counts = new Uint32Array(256)
  for (const value of data) counts[value]! += 1
  const quantile = (part: number): number => {
    let below = 0
    return counts.findIndex((count) => {
      below += count
      return below > part * data.length
    })
  }
  return Math.max(0.35, (quantile(0.99) - quantile(0.01)) / 255)
}

/** Candidates of a plane with their evidence. */
interface Seen {
  light: Plane
  all: Candidate[]
}

function seenIn(light: Plane, scale: number): Seen {
  const candidates = candidatesOf(light, scale)
  const all = componentsOf({ ...light, data: candidates.mask }).map((component) => ({
    ...component,
    evidence: evidenceOf(component, candidates, scale),
  }))
  return { light, all }
}

interface Found {
  scratches: Candidate[]
  specks: Candidate[]
}

function foundIn({ light, all }: Seen, demand: Demand): Found {
  const whole = all.filter((candidate) => isScratch(candidate, demand))
  const scratches = all.filter((piece) => whole.some((scratch) => scratch === piece || goesOn(scratch, piece, demand)))
  const others = new Set(scratches)
  return { scratches, specks: all.filter((piece) => !others.has(piece) && isSpeck(piece, light, demand)) }
}

/**
 * Detects scratches, hairs and dust in a photo, bright and dark: thin structures of one colour along their whole length
 * that are brighter or darker than everything around them. Wires in the sky and stars look like that too, but most
 * photos contain few of them: a little damage is ignored. If there is much, the criteria are relaxed.
 * @param light luminance
 * @param threshold required evidence, 90 to 170: a third of it is the minimum contrast of a short scratch
 */
export function findDamage(light: Plane, threshold: number): Damage {
  const scale = contrastOf(light)
  const shorter = Math.min(light.width, light.height)
  const strict: Demand = {
    ...{ shorter, contrast: (threshold / 3) * scale, unevenness: 0.06 * (USUAL / threshold) ** 2 },
    ...{ unique: 0.5, crowd: 0.02, plain: 3 },
  }
  const lenient: Demand = {
    ...{ shorter, contrast: 0.6 * strict.contrast, unevenness: 2 * strict.unevenness },
    ...{ unique: 0.35, crowd: 0.05, plain: 2 },
  }
  const seen = [light, inverted(light)].map((plane) => seenIn(plane, scale))
  const all = (demand: Demand): Found => {
    const found = seen.map((plane) => foundIn(plane, demand))
    return { scratches: found.flatMap(({ scratches }) => scratches), specks: found.flatMap(({ specks }) => specks) }
  }
  const certain = all(strict)
  const amount =
    certain.scratches.reduce((sum, { length }) => sum + length, 0) / (MUCH.scratches * shorter) +
    certain.specks.length / MUCH.specks
  const isMuch = amount > 0 && amount >= (threshold - LOWEST) / (USUAL - LOWEST)
  const found = isMuch ? all(lenient) : certain
  const mask = new Uint8Array(light.data.length)
  for (const { pixels } of [...found.scratches, ...found.specks]) for (const at of pixels) mask[at] = 1
  const counts = { scratches: found.scratches.length, specks: found.specks.length }
  return { ...counts, isMuch, mask: dilated({ ...light, data: mask }, 2 * SOFT_EDGE + 1).data }
}
