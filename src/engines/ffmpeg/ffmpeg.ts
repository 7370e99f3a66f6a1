import { threadsPerJob } from '../../concurrency.ts'
import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { type Engine, type EngineStatus, engineUnavailable } from '../engine.ts'
import { fontConfiguration } from '../fonts.ts'
import { type ProgramOptions, type ProgramResult, runProgram } from '../process/process.ts'
import { type FoundProgram, findProgram, packagedProgram } from '../process/programs.ts'
import { type Abilities, abilitiesOf } from './abilities.ts'
import { explainFailure, saysDamaged, writeFailure } from './failure.ts'
import { type FrameProgress, type ProgressListener, progressReader, type Written, writtenReader } from './progress.ts'

export { inputArguments } from './input.ts'

/** Features that differ between builds and that tools check; `doctor` lists the available ones. */
const NOTABLE = [
  ...['libx264', 'libx265', 'libvpx-vp9', 'libaom-av1', 'libsvtav1', 'libtheora', 'libwebp', 'libjxl'],
  ...['aac', 'libmp3lame', 'libopus', 'libvorbis', 'subtitles', 'drawtext', 'vidstabdetect', 'rubberband', 'loudnorm'],
  ...['afftdn', 'arnndn', 'zscale', 'tonemap'],
]
/** Builds up to this year lack years of fixes in decoders that read untrusted files. */
const OLD_BUILD_YEAR = 2020

export interface FfmpegOptions {
  signal?: AbortSignal
  timeoutMs?: number
  /** Expected length of the output in seconds; progress is a fraction of it. */
  durationS?: number | undefined
  onProgress?: ProgressListener
  /** Frames that the progress counts in addition, or instead. */
  frames?: FrameProgress | undefined
  /** Filled with what was written, for who checks it. */
  written?: Written
  /** Receives how much of the output is written, seconds, whenever ffmpeg reports it. */
  onPosition?(writtenS: number): void
  /** Called with a sentence if a part of the input is damaged or missing although ffmpeg continued. */
  warn?(message: string): void
  /** What the message says has failed; `ffmpeg` by default. */
  what?: string
  /** Working folder: names that are patterns or part of a filter need no folder there. */
  cwd?: string
  /** Additional environment variables, such as the location of fonts. */
  environment?: Record<string, string>
  /** `info` for filters that report on stderr (loudnorm, silencedetect); `error` by default. */
  logLevel?: 'error' | 'info'
  /** Bytes of stderr that are kept; 1 MiB by default. */
  maxOutput?: number
}

export function findFfmpeg(): Promise<FoundProgram | undefined> {
  return findProgram({
    environment: 'MEDIAPROC_FFMPEG',
    fromPackage: () => packagedProgram('ffmpeg-static'),
    names: ['ffmpeg'],
    fallbackPackage: () => packagedProgram('@ffmpeg-installer/ffmpeg'),
  })
}

/** The path of ffmpeg. @throws MediaprocError ENGINE_UNAVAILABLE, or INVALID_CONFIG for a wrong MEDIAPROC_FFMPEG */
export async function ffmpegPath(what = 'This'): Promise<string> {
  const found = await findFfmpeg()
  if (!found) throw engineUnavailable(ffmpeg, what)
  return found.path
}

export const ffmpeg: Engine = {
  id: 'ffmpeg',
  purpose: 'video and audio: decoding, filters, encoding',
  kind: 'program',
  licence: 'LGPL-2.1-or-later or GPL-2.0-or-later, by build',
  install: 'apt install ffmpeg (Debian, Ubuntu), brew install ffmpeg (macOS) or npm install ffmpeg-static',
  environment: 'MEDIAPROC_FFMPEG',
  async probe(): Promise<EngineStatus> {
    try {
      const found = await findFfmpeg()
      if (!found) return { available: false }
      const { version, year, encoders, filters } = await abilities({ isAsked: true })
      const warning =
        year !== undefined && year <= OLD_BUILD_YEAR
          ? `this is a build of ${year}: do not give it files from strangers; install a newer one`
          : undefined
      return {
        available: true,
        version,
        path: found.path,
        source: found.source,
        abilities: NOTABLE.filter((name) => encoders.has(name) || filters.has(name)),
        ...(warning && { warning }),
      }
    } catch (error) {
      return { available: false, warning: toMediaprocError(error).message }
    }
  },
}

/**
 * Capabilities of the installed ffmpeg.
 * @param options as for `abilitiesOf`
 */
export const abilities = async (options?: { isAsked?: boolean }): Promise<Abilities> =>
  abilitiesOf(await ffmpegPath(), options)

/**
 * The version of the installed ffmpeg if it lacks something, otherwise undefined. The program itself is asked before that:
 * a library may have been replaced.
 */
async function lacks(list: 'encoders' | 'filters' | 'muxers', name: string): Promise<string | undefined> {
  const before = await abilities()
  if (before[list].has(name)) return undefined
  const now = await abilities({ isAsked: true })
  return now[list].has(name) ? undefined : now.version
}

/** @throws MediaprocError ENCODER_MISSING when the installed ffmpeg was built without the encoder */
export async function requireEncoder(name: string): Promise<void> {
  const version = await lacks('encoders', name)
  if (version === undefined) return
  throw new MediaprocError('ENCODER_MISSING', `The installed ffmpeg (${version}) has no encoder ${name}`, {
    hint: `Install an ffmpeg that has it (${ffmpeg.install}), or name one with MEDIAPROC_FFMPEG.`,
  })
}

/** @throws MediaprocError ENGINE_UNAVAILABLE when the installed ffmpeg was built without the filter */
export async function requireFilter(name: string): Promise<void> {
  const version = await lacks('filters', name)
  if (version === undefined) return
  throw new MediaprocError('ENGINE_UNAVAILABLE', `The installed ffmpeg (${version}) has no filter ${name}`, {
    hint: `Install an ffmpeg that has it (${ffmpeg.install}), or name one with MEDIAPROC_FFMPEG.`,
  })
}

/** @throws MediaprocError ENGINE_UNAVAILABLE when the installed ffmpeg cannot write a format, by its muxer's name */
export async function requireMuxer(name: string): Promise<void> {
  const version = await lacks('muxers', name)
  if (version === undefined) return
  throw new MediaprocError('ENGINE_UNAVAILABLE', `The installed ffmpeg (${version}) does not write ${name}`, {
    hint: `Install an ffmpeg that has it (${ffmpeg.install}), or name one with MEDIAPROC_FFMPEG.`,
  })
}

/**
 * Runs ffmpeg with progress, limits and plain error sentences. `args` are the inputs, options and outputs; what never
 * changes (no banner, no questions, overwrite, progress) is added here. Standard output belongs to the progress.
 * @returns what it wrote to stderr, which is empty unless `logLevel` is `info`
 */
export async function runFfmpeg(args: readonly string[], options: FfmpegOptions = {}): Promise<string> {
  const { durationS, onProgress, frames, written, onPosition, warn, logLevel = 'error' } = options
  const readers = [
    ...(onProgress ? [progressReader(durationS, onProgress, frames)] : []),
    ...(written || onPosition ? [writtenReader(written ?? {}, onPosition)] : []),
  ]
  const { stderr } = await start(args, ['-nostats', '-progress', 'pipe:1'], logLevel, options, (path, all, run) =>
    runProgram(path, all, {
      ...run,
      stdout: 'ignore',
      ...(readers.length > 0 && {
        onLine: (line: string, stream: string) => {
          if (stream === 'stdout' || frames) for (const read of readers) read(line)
        },
      }),
    }),
  )
  reportDamage(stderr, warn)
  return stderr
}

/**
 * Runs ffmpeg whose output goes to `pipe:1` (raw samples, one picture) and returns it.
 * @param options.maxOutput largest output in bytes; more is an error
 */
export async function captureFfmpeg(
  args: readonly string[],
  options: Omit<FfmpegOptions, 'durationS' | 'onProgress'> & { maxOutput: number },
): Promise<Uint8Array> {
  const { stdout, stderr } = await start(args, ['-nostats'], options.logLevel ?? 'error', options, (path, all, run) =>
    runProgram(path, all, { ...run, stdout: 'buffer' }),
  )
  reportDamage(stderr, options.warn)
  return stdout
}

/** Runs ffmpeg whose output goes to `pipe:1` and streams it, whatever its length. */
export async function streamFfmpeg(
  args: readonly string[],
  onData: (chunk: Buffer) => void,
  options: Pick<FfmpegOptions, 'signal' | 'what' | 'warn'> = {},
): Promise<void> {
  const { stderr } = await start(args, ['-nostats'], 'error', options, (path, all, run) =>
    runProgram(path, all, { ...run, stdout: 'ignore', onData }),
  )
  reportDamage(stderr, options.warn)
}

function reportDamage(errorText: string, warn: FfmpegOptions['warn']): void {
  if (warn && saysDamaged(errorText))
    warn('a part of the source is damaged or missing: only the readable part was used')
}

/**
 * Arguments with limits for decoders, filters and the encoder where several jobs share the cores. By itself each ffmpeg
 * takes threads for all of them. The last argument is the output.
 */
function withinShare(args: readonly string[]): string[] {
  const threads = threadsPerJob()
  if (threads === undefined) return [...args]
  const limit = ['-threads', String(threads)]
  const filters = ['-filter_threads', '-filter_complex_threads'].flatMap((option) => [option, String(threads)])
  const read = args.slice(0, -1).flatMap((argument) => (argument === '-i' ? [...limit, argument] : [argument]))
  return [...filters, ...read, ...limit, ...args.slice(-1)]
}

type Run = Pick<ProgramOptions, 'what' | 'signal' | 'timeoutMs' | 'maxOutput' | 'cwd' | 'environment'>

async function start<Output extends string | Uint8Array>(
  args: readonly string[],
  fixed: readonly string[],
  logLevel: string,
  options: FfmpegOptions,
  run: (path: string, args: string[], options: Run) => Promise<ProgramResult<Output>>,
): Promise<ProgramResult<Output>> {
  const { what = 'ffmpeg', signal, timeoutMs, maxOutput, cwd, environment } = options
  const path = await ffmpegPath(what)
  const all = ['-hide_banner', '-nostdin', '-y', '-loglevel', logLevel, ...fixed, ...withinShare(args)]
  let result: ProgramResult<Output>
  try {
    result = await run(path, all, {
      what,
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxOutput !== undefined && { maxOutput }),
      ...(cwd !== undefined && { cwd }),
      // Filters that draw text find the fonts that come with the program, the same everywhere.
      environment: { FONTCONFIG_FILE: fontConfiguration(), ...environment },
    })
  } catch (error) {
    throw explainFailure(error, what)
  }
  const failure = writeFailure(result.stderr, what)
  if (failure) throw failure
  return result
}
