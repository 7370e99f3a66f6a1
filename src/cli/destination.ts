import { statSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { MediaprocError } from '../errors.ts'
import { extensionOf, printableName } from '../media/file.ts'
import { typeOfName } from '../media/type.ts'
import type { OutputSpec } from '../tool/contract.ts'

export interface OutputOptions {
  output?: string
  outputDir?: string
  name?: string
  zip: boolean
  force: boolean
  newer: boolean
}

/** Where the outputs of a run go. */
export type Destination =
  /** Standard output. */
  | { kind: 'stdout' }
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

function several(option: string, jobs: number): MediaprocError {
  return new MediaprocError('USAGE', `${option} names one output, but there are ${jobs} inputs`, {
    hint: 'Name a folder with -d DIR.',
  })
}

function setDestination(output: string, isFolder: boolean): Destination {
  if (!isFolder && extensionOf(output) === 'zip') return { kind: 'zip', path: output }
  if (!isFolder && typeOfName(output))
    throw new MediaprocError('USAGE', `The tool gives several files, and -o ${printableName(output)} names one`, {
      hint: 'Name a folder (-o DIR/) or a ZIP file (-o FILE.zip).',
    })
  return { kind: 'members', path: output }
}

/** Decides from the options, before any work, where outputs go. @throws MediaprocError USAGE where they contradict */
export function chooseDestination(options: OutputOptions, spec: Pick<OutputSpec, 'kind'>, jobs: number): Destination {
  const { output, outputDir } = options
  const set = makesSet(spec)
  if (options.zip && !set)
    throw new MediaprocError('USAGE', 'The tool gives one file, so there is nothing to put into a ZIP file for --zip', {
      hint: 'Leave --zip out.',
    })
  if (output === undefined) return { kind: 'named', folder: outputDir }
  if (outputDir !== undefined && output !== '-')
    throw new MediaprocError('USAGE', '-o and -d cannot be given together', {
      hint: '-o names one file, -d a folder for all outputs.',
    })
  if (output === '') throw new MediaprocError('USAGE', 'Expected a file name for -o, got nothing', { hint: '' })
  if (output === '-') {
    if (jobs > 1) throw several('-o', jobs)
    if (set && !options.zip)
      throw new MediaprocError('USAGE', 'The tool gives several files, and standard output takes one', {
        hint: 'Add --zip for one ZIP file.',
      })
    return { kind: 'stdout' }
  }
  const about = statSync(output, { throwIfNoEntry: false })
  const isFolder = /[/\\]$/.test(output) || about?.isDirectory() === true
  if (isFolder && !set) return { kind: 'named', folder: output }
  if (jobs > 1) throw several('-o', jobs)
  if (about && !about.isFile() && !about.isDirectory()) return { kind: 'device', path: output }
  if (set) return options.zip ? { kind: 'zip', path: output } : setDestination(output, isFolder)
  return { kind: 'file', path: output }
}

/** The file behind a link, so that a link to an output stays one; the path itself where nothing is there. */
export async function behindLinks(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}
