import { readFile, stat } from 'node:fs/promises'
import { MediaprocError } from '../../../errors.ts'
import { limitExceeded } from '../../../limit-exceeded.ts'
import { type MediaFile, printableName } from '../../file.ts'
import type { EncodingOptions } from '../../text-file.ts'
import type { Cue } from './cues.ts'
import { decodeSubtitles } from './decode.ts'
import { parseCues, withText } from './parse.ts'
import { onlyText } from './strip.ts'

/** A subtitle file that holds only text and styling: a script, or cues as they are displayed. */
export type Subtitles = { name: string } & ({ format: 'ass'; text: string } | { format: 'cues'; cues: Cue[] })

/** Maximum accepted file size, bytes (catalogue). */
const MAX_BYTES = 1024 * 1024

const SCRIPT = /^\s*\[Script Info\]/im

/**
 * Reads an untrusted subtitle file in any common encoding, and strips anything that could access other files.
 * @throws MediaprocError FILE_TOO_LARGE, INVALID_FILE when it contains no cues
 */
export async function readSubtitles(
  { path, name }: Pick<MediaFile, 'path' | 'name'>,
  options: EncodingOptions = {},
): Promise<Subtitles> {
  const { size } = await stat(path)
  if (size > MAX_BYTES)
    throw limitExceeded(`${printableName(name)} is larger than 1 MiB, the limit for subtitle files`, {
      hint: 'Provide only the text of the subtitles.',
    })
  const text = await decodeSubtitles(await readFile(path), name, options)
  if (SCRIPT.test(text)) return { name, format: 'ass', text: onlyText(text) }
  const { cues, invalid, hasLooks } = parseCues(text, /^\s*WEBVTT/.test(text) ? 'vtt' : 'srt')
  const shown = withText(cues)
  if (shown.length === 0)
    throw new MediaprocError('INVALID_FILE', `${printableName(name)} holds no subtitles: SRT, VTT or ASS is read`, {
      hint: 'A cue has a line such as 00:00:01,000 --> 00:00:02,500.',
    })
  if (invalid > 0)
    options.warn?.(
      `${invalid} of ${invalid + cues.length} cues of ${printableName(name)} are left out: their times are not valid`,
    )
  if (hasLooks) options.warn?.(`${printableName(name)} says where and how cues are drawn, which is left out`)
  return { name, format: 'cues', cues: shown }
}
