import { readFile, stat } from 'node:fs/promises'
import { MediaprocError } from '../../../errors.ts'
import { type MediaFile, printableName } from '../../file.ts'
import { decodeSubtitles } from './decode.ts'
import { onlyText } from './strip.ts'

/** A subtitle file as text that holds nothing but text and its looks. */
export interface Subtitles {
  name: string
  format: 'srt' | 'vtt' | 'ass'
  text: string
  /** The encoding that it was taken for, where it is not Unicode. */
  guessed: string | undefined
}

/** The largest file that is taken, bytes (catalogue). */
const MAX_BYTES = 1024 * 1024

/** The arrow of a cue with its times: hours may be left out. */
const CUE = /^\s*(?:\d+:)?\d{1,2}:\d{2}[,.]\d{1,3}\s*-->/m
const SCRIPT = /^\s*\[Script Info\]/im

/**
 * Reads a subtitle file of a stranger: any of the usual encodings, and without what could reach other files.
 * @throws MediaprocError FILE_TOO_LARGE, INVALID_FILE where it holds no cues
 */
export async function readSubtitles({ path, name }: Pick<MediaFile, 'path' | 'name'>): Promise<Subtitles> {
  const { size } = await stat(path)
  if (size > MAX_BYTES)
    throw new MediaprocError(
      'LIMIT_EXCEEDED',
      `${printableName(name)} is larger than 1 MiB, which no subtitle file is`,
      {
        hint: 'Give the text of the subtitles only.',
      },
    )
  const { text, guessed } = decodeSubtitles(await readFile(path))
  const format = SCRIPT.test(text) ? 'ass' : /^\s*WEBVTT/.test(text) ? 'vtt' : CUE.test(text) ? 'srt' : undefined
  if (!format || (format === 'vtt' && !CUE.test(text)))
    throw new MediaprocError('INVALID_FILE', `${printableName(name)} holds no subtitles: SRT, VTT or ASS is read`, {
      hint: 'A cue has a line such as 00:00:01,000 --> 00:00:02,500.',
    })
  return { name, format, guessed, text: format === 'ass' ? onlyText(text) : text }
}
