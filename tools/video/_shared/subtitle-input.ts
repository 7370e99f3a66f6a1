import { MediaprocError } from '../../../src/errors.ts'
import type { AvSource } from '../../../src/media/av/input/part.ts'
import type { Cue } from '../../../src/media/av/subtitles/cues.ts'
import { readSubtitles, type Subtitles } from '../../../src/media/av/subtitles/read.ts'
import { printableName } from '../../../src/media/file.ts'
import type { InputSpec, ProduceContext } from '../../../src/tool/contract.ts'

const TYPES = ['srt', 'vtt', 'ass']

/** A video and a subtitle file: the second file, or by name. */
export const WITH_SUBTITLES: InputSpec = {
  files: 'many',
  min: 1,
  max: 2,
  accept: ['video', ...TYPES],
  secondary: {
    subtitles: { required: false, what: 'the subtitles, when they are not the second file', accept: TYPES },
  },
}

/**
 * The video and the subtitles of a tool that uses WITH_SUBTITLES.
 * @throws MediaprocError TOO_MANY_FILES, TOO_FEW_FILES, or an error for invalid subtitles
 */
export async function withSubtitles(
  [video, second]: readonly AvSource[],
  { secondary, warn }: ProduceContext,
  { tool, encoding }: { tool: string; encoding: string },
): Promise<{ video: AvSource; subtitles: Subtitles }> {
  if (second && secondary.subtitles)
    throw new MediaprocError('TOO_MANY_FILES', `${tool} got two subtitle files: a second file and --subtitles`, {
      hint: 'Give the subtitles once.',
    })
  const file = second ?? secondary.subtitles
  if (!video || !file)
    throw new MediaprocError('TOO_FEW_FILES', `${tool} needs a video and a subtitle file`, {
      hint: 'Name both: the video first, then the subtitles.',
    })
  const subtitles = await readSubtitles(file, { encoding, warn })
  if (subtitles.format === 'cues') return { video, subtitles: { ...subtitles, cues: within(video, subtitles, warn) } }
  return { video, subtitles }
}

/** The cues shown before the video ends. */
function within(
  { info, lengthIsGuessed, name }: AvSource,
  { cues, name: ofFile }: Subtitles & { format: 'cues' },
  warn: (message: string) => void,
): Cue[] {
  const endS = lengthIsGuessed ? undefined : info.durationS
  if (endS === undefined) return cues
  const shown = cues.filter(({ startS }) => startS < endS)
  if (shown.length === 0)
    throw new MediaprocError(
      'INVALID_FILE',
      `All ${cues.length} cues of ${printableName(ofFile)} start after the end of ${printableName(name)} (${shownTime(endS)})`,
      { hint: 'Give the subtitles of this video.' },
    )
  if (shown.length < cues.length)
    warn(
      `${cues.length - shown.length} of ${cues.length} cues are omitted: they start after the end of the video (${shownTime(endS)})`,
    )
  return shown.map((cue) => ({ ...cue, endS: Math.min(cue.endS, endS) }))
}

const shownTime = (timeS: number): string => `${Number(timeS.toFixed(2))} s`
