import type { ErrorCode } from '../errors.ts'
import type { Condition } from './condition.ts'
import type { OutputType } from './output-type.ts'

export const SECTIONS = ['image', 'video', 'audio', 'pdf', 'files'] as const
export type Section = (typeof SECTIONS)[number]

/** What a tool works on inside; pipelines fuse runs of the same medium. Front doors need not know. */
export type Medium = 'image' | 'av' | 'pdf' | 'general'

export interface SecondaryInput {
  required: boolean
  /** Settings that do not work without it. */
  requiredFor?: Condition
  /** What it is, for help: 'the logo image'. */
  what: string
  /** Groups or extensions, as in `accept`. */
  accept: readonly string[]
}

export interface InputSpec {
  /** How many files one job takes. */
  files: 'one' | 'many' | 'none'
  min: number
  max: number
  /** Groups ('image', 'video', 'audio') or extensions; '*' takes everything. */
  accept: readonly string[]
  /** Files without any content are taken, too. */
  mayBeEmpty?: true
  /** Named further files: `--watermark logo.png`. */
  secondary?: Readonly<Record<string, SecondaryInput>>
}

export interface OutputSpec {
  /** file: one file; files: a set (a folder at the shell, a ZIP over HTTP); report: JSON only. */
  kind: 'file' | 'files' | 'report' | 'file+report' | 'files+report'
  /** The type of the files; absent for a report alone. */
  type?: OutputType
  /** Of one file: its name without the extension, where the tool has one for all inputs. `{mode}` stands for that setting. */
  name?: string
  /** Of a set: the name of its folder or ZIP, where it is always one; `{stem}` stands for the stem of the input's name. */
  set?: string | { when: Condition; name: string }
  /** Over HTTP the outputs are always one ZIP of this name (without extension), however many they are. */
  archive?: string
  /** Over HTTP the file itself is the answer, not the address of a result. */
  direct?: true
}

/** How a tool names its one output, so that front doors can tell before the work. */
export interface Naming {
  /** The word after the stem: `photo_<suffix>.jpg`. `{name}` in it stands for the value of that setting. */
  suffix: string
  /** The output is `<stem>.<ext>`; the suffix is added only where that is the input's own name. */
  converts?: boolean
}

/**
 * Files that an earlier job of the same tool and owner kept. Over HTTP they are the files of the action: the request names
 * the job and the file name that its answer told, and sends none of them; elsewhere they are given like any others.
 */
export interface FromJob {
  /** `file` for the input, or a named further input; and what the job called it after the stem: `mask.png`. */
  files: Readonly<Record<string, string>>
  /** What is answered where the job, or one of the files, is not there any more. */
  gone: { code: ErrorCode; message: string; hint: string }
}

/** A run that the documentation makes and that a test repeats. Inputs are names of sample files (src/generate makes them). */
export interface Example<Settings = Record<string, unknown>> {
  title: string
  /** Sample files; by default the first sample that the tool accepts. */
  inputs?: readonly string[]
  secondary?: Readonly<Record<string, string>>
  settings?: Partial<Settings>
}

/** One file in, of the given kinds. */
export function oneFile(...accept: string[]): InputSpec {
  return { files: 'one', min: 1, max: 1, accept }
}
