import { MediaprocError } from '../../../src/errors.ts'
import type { AvSource } from '../../../src/media/av/part.ts'
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
 * The video and the subtitles of a tool with WITH_SUBTITLES.
 * @throws MediaprocError TOO_MANY_FILES, TOO_FEW_FILES, or what is wrong with the subtitles
 */
export async function withSubtitles(
  [video, second]: readonly AvSource[],
  { secondary, warn }: ProduceContext,
  tool: string,
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
  const subtitles = await readSubtitles(file)
  if (subtitles.guessed)
    warn(`${printableName(file.name)} is not Unicode: it was read as ${subtitles.guessed}, check the letters`)
  return { video, subtitles }
}
