import { mainVideo } from '../../../engines/ffmpeg/ffprobe.ts'
import type { AvPart, AvSource } from '../input/part.ts'
import { type SmartCut, smartCut } from './smart-cut.ts'

/** Share of the work done before the clip is written. */
const CUTTING_SHARE = 0.9

/** The warning for `changesSets`. */
export const CHANGED_SETS =
  'the video changes its parameter sets at the edges (hev1), which players of Apple may refuse'

/** Whether the parameter sets of a clip are in its frames, of which QuickTime reads only those of the file. */
export const changesSets = ({ info }: AvSource, joined: Exclude<SmartCut, { reason: string }>): boolean =>
  joined.isInBand && info.format.startsWith('mov')

interface Context {
  signal: AbortSignal
  warn(message: string): void
  scratch(): Promise<string>
  progress(fraction: number, phase?: string): void
}

/**
 * The part that cuts exactly and encodes only the edges. Audio and subtitles are cut as in a copy.
 * @param range seconds from the start of the source
 * @returns undefined, after a warning with the reason, when all of the clip must be encoded
 */
export async function smartPart(
  source: AvSource,
  range: { startS: number; endS: number },
  { signal, warn, scratch, progress }: Context,
): Promise<AvPart | undefined> {
  const folder = await scratch()
  const report = (fraction: number): void => progress(fraction * CUTTING_SHARE, 'cutting')
  const joined = await smartCut(source, mainVideo(source.info), range, { folder, signal, progress: report })
  if ('reason' in joined) {
    warn(`the whole clip is encoded: ${joined.reason}`)
    return undefined
  }
  if (changesSets(source, joined)) warn(`${CHANGED_SETS}: use precise for them`)
  const { startS, endS, path } = joined
  return { range: { startS, endS, exact: false }, joinedVideo: path, progressFrom: CUTTING_SHARE }
}
