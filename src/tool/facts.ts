import type { ErrorCode } from '../errors.ts'
import type { Condition } from './condition.ts'
import type { OutputType } from './output-type.ts'

export const SECTIONS = ['image', 'video', 'audio', 'pdf', 'files'] as const
export type Section = (typeof SECTIONS)[number]

/** The medium that a tool works on; pipelines fuse steps of the same medium. The interfaces do not need to know it. */
export type Medium = 'image' | 'av' | 'pdf' | 'general'

export interface SecondaryInput {
  required: boolean
  /** Settings that have no effect without it. */
  requiredFor?: Condition
  /** Description for help: 'the logo image'. */
  what: string
  /** Groups or extensions, as in `accept`. */
  accept: readonly string[]
}

export interface InputSpec {
  /** How many files one job accepts. */
  files: 'one' | 'many' | 'none'
  min: number
  max: number
  /** Groups ('image', 'video', 'audio') or extensions; '*' takes everything. */
  accept: readonly string[]
  /** Empty files are accepted, too. */
  mayBeEmpty?: true
  /** Additional named files: `--watermark logo.png`. */
  secondary?: Readonly<Record<string, SecondaryInput>>
}

/**
 * The inputs of a run, as a tuple by the declared minimum: at least one, unless the declaration has `min: 0`. The job
 * runner checks the number before it opens a file.
 */
export type InputsOf<T, Input extends Pick<InputSpec, 'min'> = InputSpec> = Input extends { min: 0 }
  ? readonly T[]
  : Input extends { min: 2 }
    ? readonly [T, T, ...T[]]
    : readonly [T, ...T[]]

/** Any number of inputs, as the job runner passes them. */
export type AnyInput = Pick<InputSpec, 'min'> & { min: 0 }

export interface OutputSpec {
  /** file: one file; files: a set (a folder at the shell, a ZIP over HTTP); report: JSON only. */
  kind: 'file' | 'files' | 'report' | 'file+report' | 'files+report'
  /** The type of the files; absent if there is only a report. */
  type?: OutputType
  /**
   * For one file: its name without the extension, if it is the same for all inputs. `{mode}` is replaced by that
   * setting.
   */
  name?: string
  /** For a set: the name of its folder or ZIP, if fixed; `{stem}` is replaced by the stem of the input's name. */
  set?: string | { when: Condition; name: string }
  /** Over HTTP the outputs are always one ZIP of this name (without extension), whatever their number. */
  archive?: string
  /** Over HTTP the response is the file itself, not the URL of a result. */
  direct?: true
}

/** How a tool names its single output, so that interfaces know the name before the run. */
export interface Naming {
  /** The suffix after the stem: `photo_<suffix>.jpg`. `{name}` is replaced by the value of that setting. */
  suffix: string
  /** The output is `<stem>.<ext>`; the suffix is added only if that is the input's own name. */
  converts?: boolean
}

/**
 * Files that an earlier job of the same tool and owner kept. Over HTTP they are the inputs of the action: the request
 * names the job and the file name from its response, and uploads none of them; elsewhere they are passed like any
 * others.
 */
export interface FromJob {
  /** `file` for the input, or a named additional input; and the name the job gave it after the stem: `mask.png`. */
  files: Readonly<Record<string, string>>
  /** The error if the job, or one of the files, no longer exists. */
  gone: { code: ErrorCode; message: string; hint: string }
}

/** A run that the documentation shows and a test repeats. Inputs are names of sample files (made by src/generate). */
export interface Example<Settings = Record<string, unknown>> {
  title: string
  /** Sample files; defaults to the first sample that the tool accepts. */
  inputs?: readonly string[]
  secondary?: Readonly<Record<string, string>>
  settings?: Partial<Settings>
}

/** One input file of the given kinds. */
export function oneFile(...accept: string[]): InputSpec {
  return { files: 'one', min: 1, max: 1, accept }
}
