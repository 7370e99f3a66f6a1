import { audioStreams, type MediaInfo } from '../../engines/ffmpeg/ffprobe.ts'
import type { Cut } from './range.ts'

/** A smaller offset of the clip start is not noticeable, seconds. */
const UNSEEN_S = 0.02

const shown = (timeS: number): string => `${Number(timeS.toFixed(2))} s`

/** Warns that a copied clip starts at a key frame, before the requested time. */
export function beginsEarlier(cut: Pick<Cut, 'startS' | 'seekS'> | undefined): string[] {
  const { startS = 0, seekS = startS } = cut ?? {}
  if (seekS - startS < UNSEEN_S) return []
  return [`the clip begins at ${shown(startS)}, the key frame before ${shown(seekS)}: a copy cannot begin elsewhere`]
}

/** Warns of audio tracks without content in a clip, by their stream indexes. */
export function withoutTracks(info: MediaInfo, empty: readonly number[]): string {
  const numbers = audioStreams(info).flatMap(({ index }, position) => (empty.includes(index) ? [position + 1] : []))
  return numbers.length > 1
    ? `audio tracks ${numbers.join(', ')} are left out: they have no audio at these times`
    : `audio track ${numbers.join()} is left out: it has no audio at these times`
}
