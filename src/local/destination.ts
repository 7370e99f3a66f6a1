import { type Stats, statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { MediaprocError } from '../errors.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { typeOfName } from '../media/type.ts'
import type { OutputSpec } from '../tool/contract.ts'
import type { Streams } from './inputs.ts'

/** What can be asked about the outputs of a run. */
export interface OutputOptions {
  /** The one output: a file, a folder, or `-` for standard output. */
  output?: string
  /** Folder for the outputs, made if absent; beside the first input by default, else the current folder. */
  outputDir?: string
  /** Pattern of output names, such as '{stem}_{tool}.{ext}'. */
  name?: string
  /** `name` was asked for, so that it cannot give way to `output` in silence. */
  isNameAsked?: boolean
  /** Several outputs of one input as a ZIP file instead of a folder. */
  zip?: boolean
  /** Replace outputs that are already there; otherwise that is OUTPUT_EXISTS. Inputs are never replaced. */
  force?: boolean
  /** `output` is refused where it is there, although it is named; as for `cp`, a slip is too easy otherwise. */
  keepExisting?: boolean
  /**
   * Skip inputs whose outputs are up to date by the record of the run that made them; make again, and replace, what has none
   * or differs from it. `time`: the content decides where sizes and times of this machine do not; `hash`: always.
   */
  newer?: 'time' | 'hash'
  /** Where the records of runs are kept; in the user's cache folder by default, or beside the outputs as well. */
  records?: 'cache' | 'beside'
  /** What could not be kept or reached is a failure, not a warning. */
  strict?: boolean
}

/** Where the outputs of a run go. */
export type Destination =
  /** Standard output. */
  | { kind: 'stdout'; stream: Writable; isTerminal: boolean }
  /** A device or a pipe by name, such as /dev/null: written to, never replaced. */
  | { kind: 'device'; path: string }
  /** The one output. */
  | { kind: 'file'; path: string }
  /** The one set, as an archive. */
  | { kind: 'zip'; path: string }
  /** The one set, right in this folder. */
  | { kind: 'members'; path: string }
  /** Under the tool's own names or --name, in this folder or beside each input. */
  | { kind: 'named'; folder?: string }

/** Whether a tool gives several files, which belong together. */
export function makesSet(output: Pick<OutputSpec, 'kind'>): boolean {
  return output.kind.startsWith('files')
}

/** What is at a path; undefined where nothing is, or where a part of it is a file. */
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

/** For tools that may give several files. A name of another type is for the case that they give one; see `saveOutputs`. */
function setDestination(output: string, isFolder: boolean, zip: boolean | undefined): Destination {
  if (isFolder) return { kind: 'members', path: output }
  if (zip || extensionOf(output) === 'zip') return { kind: 'zip', path: output }
  return { kind: typeOfName(output) ? 'file' : 'members', path: output }
}

/** @throws MediaprocError USAGE where the options contradict */
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
 * Decides from the options, before any work, where outputs go.
 * @throws MediaprocError USAGE where they contradict
 */
export function chooseDestination(...args: Parameters<typeof chosenDestination>): Destination {
  const destination = chosenDestination(...args)
  if (args[0].isNameAsked && destination.kind !== 'named')
    throw new MediaprocError('USAGE', '-o and --name cannot be given together', {
      hint: '-o names the output itself; --name is a pattern of names in a folder, for -d DIR.',
    })
  return destination
}

/** The file behind a link, so that a link to an output stays one; the path itself where nothing is there. */
export async function behindLinks(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
