import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import type { Engine, EngineStatus } from '../engine.ts'
import { runProgram } from '../process/process.ts'
import { type FoundProgram, findProgram, packagedProgram } from '../process/programs.ts'
import { probeWithBanner } from './banner.ts'
import { type FfprobeAnswer, readAnswer } from './ffprobe-answer.ts'
import { explainUnreadable, inputArguments } from './input.ts'
import type { MediaInfo } from './media-info.ts'

export {
  audioStreams,
  type Chapter,
  type Colour,
  type FieldOrder,
  isStillImage,
  type MediaInfo,
  mainAudio,
  mainVideo,
  type Stream,
  videoStream,
} from './media-info.ts'

/** Reading even a large file's header takes far less than this. */
const PROBE_TIMEOUT_MS = 60_000
/** Output limit for files with thousands of streams or tags, or 100,000 chapters, bytes. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024

export function findFfprobe(): Promise<FoundProgram | undefined> {
  return findProgram({
    environment: 'MEDIAPROC_FFPROBE',
    names: ['ffprobe'],
    fallbackPackage: () => packagedProgram('@ffprobe-installer/ffprobe'),
  })
}

export const ffprobe: Engine = {
  id: 'ffprobe',
  purpose: 'reading metadata of video and audio files',
  kind: 'program',
  licence: 'LGPL-2.1-or-later or GPL-2.0-or-later, by build',
  install: 'apt install ffmpeg (Debian, Ubuntu) or brew install ffmpeg (macOS)',
  environment: 'MEDIAPROC_FFPROBE',
  async probe(): Promise<EngineStatus> {
    try {
      const found = await findFfprobe()
      if (!found) return { available: false, warning: 'ffmpeg itself is used instead, which reports a little less' }
      const { stdout } = await runProgram(found.path, ['-version'], { what: 'ffprobe', timeoutMs: PROBE_TIMEOUT_MS })
      const version = /^ffprobe version (\S+)/.exec(stdout)?.[1]
      return { available: true, path: found.path, source: found.source, ...(version && { version }) }
    } catch (error) {
      return { available: false, warning: toMediaprocError(error).message }
    }
  },
}

let begun: { state: string; info: Promise<MediaInfo> } | undefined

/**
 * Starts probing a file while the caller loads the code that needs the result: `probeMedia` returns this result once,
 * if the file has not changed.
 */
export async function beginProbe(path: string, signal: AbortSignal): Promise<void> {
  try {
    const { sizeBytes, state } = await look(path)
    const info = read(path, sizeBytes, { signal, timeoutMs: PROBE_TIMEOUT_MS })
    begun = { state, info }
    await info
  } catch {
    // Callers handle the failure.
  }
}

/**
 * Reads media information from a video or audio file: with ffprobe, or with ffmpeg if ffprobe is not installed.
 * @param options.timeoutMs timeout, 60 s by default
 * @throws MediaprocError FILE_NOT_FOUND, IS_A_FOLDER, EMPTY_FILE, INVALID_FILE when it cannot be read,
 *   UNSUPPORTED_FILE_TYPE for playlists and other types, ENGINE_UNAVAILABLE
 */
export async function probeMedia(
  path: string,
  options: { signal?: AbortSignal; timeoutMs?: number } = {},
): Promise<MediaInfo> {
  const { sizeBytes, state } = await look(path)
  const early = begun?.state === state ? begun.info : undefined
  begun = undefined
  const info = await (early ?? read(path, sizeBytes, { timeoutMs: PROBE_TIMEOUT_MS, ...options }))
  if (!info.streams.some((stream) => stream.type !== 'data' && stream.type !== 'attachment')) {
    throw new MediaprocError('INVALID_FILE', 'The file contains no video, audio or subtitles')
  }
  return info
}

async function read(
  path: string,
  sizeBytes: number,
  limits: { signal?: AbortSignal; timeoutMs: number },
): Promise<MediaInfo> {
  const program = await findFfprobe()
  if (!program) return probeWithBanner(path, sizeBytes, limits)
  return ask(program.path, path, sizeBytes, limits).catch((error: unknown) => {
    // A build of 2018 crashes on transport streams, which ffmpeg itself can read.
    if (toMediaprocError(error).code !== 'PROCESSING_FAILED') throw error
    return probeWithBanner(path, sizeBytes, limits)
  })
}

async function ask(
  program: string,
  path: string,
  sizeBytes: number,
  limits: { signal?: AbortSignal; timeoutMs: number },
): Promise<MediaInfo> {
  const questions = ['-v', 'error', '-print_format', 'json', '-show_format', '-show_streams', '-show_chapters']
  const answer = await runProgram(program, [...questions, ...inputArguments(path)], {
    ...limits,
    what: 'ffprobe',
    maxOutput: MAX_ANSWER_BYTES,
    allowExit: [0, 1],
  })
  if (answer.exitCode !== 0) {
    throw (
      explainUnreadable(answer.stderr) ??
      new MediaprocError('INVALID_FILE', 'The file cannot be read as video or audio', { detail: answer.stderr.trim() })
    )
  }
  return readAnswer(JSON.parse(answer.stdout) as FfprobeAnswer, sizeBytes)
}

/** The size of a file, and attributes that change when it is replaced. */
async function look(path: string): Promise<{ sizeBytes: number; state: string }> {
  const about = await stat(path).catch((error: unknown) => {
    throw toMediaprocError(error, 'INVALID_FILE', 'The file cannot be read')
  })
  if (about.isDirectory()) throw new MediaprocError('IS_A_FOLDER')
  if (!about.isFile()) throw new MediaprocError('INVALID_FILE', 'This is not a regular file')
  if (about.size === 0) throw new MediaprocError('EMPTY_FILE')
  const { dev, ino, size, mtimeMs } = about
  return { sizeBytes: size, state: [resolve(path), dev, ino, size, mtimeMs].join('\n') }
}
