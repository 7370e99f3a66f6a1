import { MediaprocError } from '../../../src/errors.ts'
import type { AvSource } from '../../../src/media/av/input/part.ts'
import { chooseTracks, type Tracks, type TrackType } from '../../../src/media/av/labels/track-choice.ts'
import { text } from '../../../src/tool/settings.ts'

/** The longest list of tracks, characters. */
const MAX_LENGTH = 200

/** A setting that names tracks. @param help what happens to them */
export const tracksSetting = (help: string, value = 'all') =>
  text(`${help}: all, none, or a list of numbers from 1 and languages, such as 1,de`, {
    ...{ default: value, listed: true, maxLength: MAX_LENGTH },
  })

/** The settings of tools that keep the tracks of a video. */
export const TRACK_SETTINGS = {
  audioTracks: tracksSetting('audio tracks to keep'),
  subtitleTracks: tracksSetting('subtitle tracks to keep'),
} as const

/** The choice of TRACK_SETTINGS as a tool passes it on. @throws MediaprocError for a track that the file does not have */
export function tracksOf(
  source: AvSource,
  { audioTracks, subtitleTracks }: { audioTracks: string; subtitleTracks: string },
): { tracks: Tracks } {
  const chosen = (type: TrackType, choice: string): Tracks => {
    const indexes = chooseTracks(source, type, choice)
    return indexes ? { [type]: indexes } : {}
  }
  return { tracks: { ...chosen('audio', audioTracks), ...chosen('subtitle', subtitleTracks) } }
}

/** The setting of tools that save one track. */
export const trackSetting = (type: TrackType) =>
  text(`the ${type} track to save: its number from 1, or its language, such as de; the first by default`, {
    ...{ minLength: 1, maxLength: MAX_LENGTH },
  })

/**
 * The tracks that the setting of one track matches: several if they have the language, or if nothing was set.
 * @throws MediaprocError for a track that the file does not have
 */
export function trackOf(source: AvSource, type: TrackType, choice: string | undefined): Tracks {
  const indexes = choice === undefined ? undefined : chooseTracks(source, type, choice)
  if (indexes?.length === 0)
    throw new MediaprocError('INVALID_SETTINGS', `Expected the ${type} track to save, got none`)
  return indexes ? { [type]: indexes } : {}
}
