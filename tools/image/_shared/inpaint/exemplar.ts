import { firstOf } from '../../../../src/lists.ts'
import { fillByLayers } from './layers.ts'
import { fillByMirror, type MirrorDepths, mirrorOf } from './mirror.ts'
import {
  improveMatches,
  type Matches,
  openMatches,
  originsOf,
  refineMatches,
  startMatches,
  vote,
} from './patch-match.ts'
import { fillFromEdges, pyramidOf } from './pyramid.ts'
import { type Textured, withoutTexture, withTexture } from './texture.ts'
import type { View } from './view.ts'

/** Radius of a patch, px. */
const REACH = 3

/**
 * Rounds of matching and voting: many in small copies, which determine the structure; few where only details are left.
 */
const ROUNDS = { first: 12, most: 8, least: 2 } as const

/** Searches per round: one is enough once there are matches from the smaller copy. */
const SEARCHES = { first: 2, usual: 1 } as const

/** Weight of the most similar patches: the first rounds need agreement, the last ones sharpness. */
const SHARPNESS = { usual: 4, last: 20 } as const

/** Upscaled pixels as a first guess for the finer level. */
function guessFrom(coarse: Textured, fine: Textured): void {
  const { channels, width } = fine
  for (let at = 0; at < fine.holes.length; at += 1) {
    if (fine.holes[at] !== 1) continue
    const from = (Math.floor(at / width) >> 1) * coarse.width + ((at % width) >> 1)
    for (let channel = 0; channel < channels; channel += 1)
      fine.data[at * channels + channel] = coarse.data[from * channels + channel]!
  }
}

/** A view with its holes filled, and the sources of their pixels. */
export interface Completion {
  data: Float32Array
  /** By pixels of the view, -1 if it was known, or nothing could be matched. */
  origins: Int32Array
}

/**
 * Fills the holes of a view from the rest of it: from a small copy to the full size, patches of a hole are matched with
 * known patches, and every pixel takes the value that the surrounding matches have there (Wexler et al. 2007, matched
 * as in Barnes et al. 2009). Deterministic.
 * @param around given if the missing area surrounds an image: the mirror image is then the first guess, and matches
 * stay near it, as only one side has edges to infer the content from
 */
export function fillByExemplar(view: View, around?: MirrorDepths): Completion {
  const levels = pyramidOf(withTexture(view))
  let before: { view: Textured; matches: Matches } | undefined
  for (let index = levels.length - 1; index >= 0; index -= 1) {
    const level = levels[index]!
    const homes = around && mirrorOf(level, around)
    const opened = openMatches(level, REACH)
    const matches = opened && homes ? { ...opened, homes } : opened
    if (before) guessFrom(before.view, level)
    else if (homes) fillByMirror(level, homes)
    else if (!matches || !fillByLayers(level, matches)) fillFromEdges(level)
    if (!matches) continue
    if (before) refineMatches(matches, level, before.matches, before.view.width)
    else startMatches(matches)
    improve(level, matches, index, !before)
    before = { view: level, matches }
  }
  const whole = firstOf(levels)
  const nowhere = new Int32Array(whole.holes.length).fill(-1)
  return { data: withoutTexture(whole), origins: before ? originsOf(whole, before.matches) : nowhere }
}

function improve(level: Textured, matches: Matches, index: number, isFirst: boolean): void {
  const rounds = isFirst ? ROUNDS.first : Math.max(ROUNDS.least, Math.min(ROUNDS.most, 2 * index))
  const searches = isFirst ? SEARCHES.first : SEARCHES.usual
  for (let round = 0; round < rounds; round += 1) {
    for (let search = 0; search < searches; search += 1) improveMatches(level, matches, round + search)
    vote(level, matches, index === 0 && round === rounds - 1 ? SHARPNESS.last : SHARPNESS.usual)
  }
}
