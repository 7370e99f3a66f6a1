import { type Stats, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { MediaprocError } from '../errors.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { typeOfName } from '../media/type.ts'
import type { OutputSpec } from '../tool/contract.ts'
import type { Streams } from './inputs.ts'

/** Output options of a run. */
export interface OutputOptions {
  /** The single output: a file, a folder, or `-` for standard output. */
  output?: string
  /**
   * Folder for the outputs, created if absent; defaults to the folder of the first input, otherwise the current folder.
   */
  outputDir?: string
  /** Pattern of output names, such as '{stem}_{tool}.{ext}'. */
  name?: string
  /** `name` was given explicitly, so that it cannot silently yield to `output`. */
  isNameAsked?: boolean
  /** Write several outputs of one input as a ZIP file instead of a folder. */
  zip?: boolean
  /** Replace existing outputs; otherwise they cause OUTPUT_EXISTS. Inputs are never replaced. */
  force?: boolean
  /**
   * Reject an existing `output` although it is named explicitly: otherwise a typo could replace a file, as with `cp`.
   */
  keepExisting?: boolean
  /**
   * Skip inputs whose outputs are up to date according to their build record; recreate and replace outputs without a
   * record or with a different one. `time`: content is compared only if sizes and times are not conclusive; `hash`:
   * always.
   */
  newer?: 'time' | 'hash'
  /** Where build records are kept; the user's cache folder by default, or additionally next to the outputs. */
  records?: 'cache' | 'beside'
  /** A file that lists the outputs of all inputs, written after the run. */
  manifest?: string
  /** Treat requirements that could not be met as failures, not warnings. */
  strict?: boolean
}

/** The destination of a run's outputs. */
export type Destination =
  /** Standard output. */
  | { kind: 'stdout'; stream: Writable; isTerminal: boolean }
  /** A device or named pipe, such as /dev/null: written to, never replaced. */
  | { kind: 'device'; path: string }
  /** The single output. */
  | { kind: 'file'; path: string }
  /** The single set, as an archive. */
  | { kind: 'zip'; path: string }
  /** The single set, directly in this folder. */
  | { kind: 'members'; path: string }
  /** Named by the tool or --name, in this folder or next to each input. */
  | { kind: 'named'; folder?: string }

/** Whether a tool produces several files that belong together. */
export function makesSet(output: Pick<OutputSpec, 'kind'>): boolean {
  return output.kind.startsWith('files')
}

/** The stat of a path; undefined if it does not exist, or if one of its parents is a file. */
function look(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

function several(option: string, jobs: number): MediaprocError {
  return new MediaprocError('USAGE', `${option} names one output, but there are ${jobs} inputs`, {
    hint: 'Name a folder with -d DIR.',
  })
}

/**
 * For tools that may produce several files. A name of another type is for the case of a single file; see `saveOutputs`.
 */
function setDestination(output: string, isFolder: boolean, zip: boolean | undefined): Destination {
  if (isFolder) return { kind: 'members', path: output }
  if (zip || extensionOf(output) === 'zip') return { kind: 'zip', path: output }
  return { kind: typeOfName(output) ? 'file' : 'members', path: output }
}

/** @throws MediaprocError USAGE if the options conflict */
function chosenDestination(
  options: OutputOptions,
  spec: Pick<OutputSpec, 'kind'>,
  jobs: number,
  streams?: Streams,
): Destination {
  const { output, outputDir } = options
  const set = makesSet(spec)
  if (options.zip && !set)
    throw new MediaprocError('USAGE', 'The tool gives one file, so there is nothing to put into a ZIP file for --zip', {
      hint: 'Leave --zip out.',
    })
  if (outputDir !== undefined && look(outputDir)?.isDirectory() === false)
    throw new MediaprocError('USAGE', `${printableName(outputDir)} is a file, and -d names a folder`, {
      hint: 'Name a folder with -d, or the one output with -o.',
    })
  if (output === undefined) return { kind: 'named', folder: outputDir }
  if (outputDir !== undefined)
    throw new MediaprocError('USAGE', '-o and -d cannot be given together', {
      hint: '-o names one file, -d a folder for all outputs.',
    })
  if (output === '') throw new MediaprocError('USAGE', 'Expected a file name for -o, got nothing', { hint: '' })
  if (output === '-') {
    if (jobs > 1) throw several('-o', jobs)
    if (!streams) throw new MediaprocError('USAGE', 'There is no standard output to write to', { hint: 'Name a file.' })
    return { kind: 'stdout', stream: streams.stdout, isTerminal: streams.stdoutIsTerminal }
  }
  const about = look(output)
  const isFolder = /[/\\]$/.test(output) || about?.isDirectory() === true
  if (isFolder && !set) return { kind: 'named', folder: output }
  if (jobs > 1) throw several('-o', jobs)
  if (about && !about.isFile() && !about.isDirectory()) return { kind: 'device', path: output }
  if (set) return setDestination(output, isFolder, options.zip)
  return { kind: 'file', path: output }
}

/**
 * Determines from the options, before the run, where outputs go.
 * @throws MediaprocError USAGE if they conflict
 */
export function chooseDestination(...args: Parameters<typeof chosenDestination>): Destination {
  const destination = chosenDestination(...args)
  if (args[0].isNameAsked && destination.kind !== 'named')
    throw new MediaprocError('USAGE', '-o and --name cannot be given together', {
      hint: '-o names the output itself; --name is a pattern of names in a folder, for -d DIR.',
    })
  return destination
}

/** The target of a link, so that a linked output stays a link; the path itself if nothing exists there. */
export async function behindLinks(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
