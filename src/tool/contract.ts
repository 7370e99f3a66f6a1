import type { MediaFile } from '../media/file.ts'
import type { AvStep } from './av-tool.ts'
import type { ImageStep } from './image-tool.ts'
import type { OutputType } from './output-type.ts'
import type { PdfStep } from './pdf-tool.ts'
import type { SettingsOf, SettingsTable } from './settings.ts'

export const SECTIONS = ['image', 'video', 'audio', 'pdf', 'files'] as const
export type Section = (typeof SECTIONS)[number]

/** How a tool works inside; pipelines fuse runs of the same medium. Front doors need not know. */
export type Medium = 'image' | 'av' | 'pdf' | 'general'

export interface SecondaryInput {
  required: boolean
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
  /** Named further files: `--watermark logo.png`. */
  secondary?: Readonly<Record<string, SecondaryInput>>
}

export interface OutputSpec {
  /** file: one file; files: a set (a folder at the shell, a ZIP over HTTP); report: JSON only. */
  kind: 'file' | 'files' | 'report' | 'file+report' | 'files+report'
  /** The type of the files; absent for a report alone. */
  type?: OutputType
  /** Over HTTP the outputs are always one ZIP of this name (without extension), however many they are. */
  archive?: string
  /** Over HTTP the file itself is the answer, not the address of a result. */
  direct?: true
}

/** How a tool names its one output, so that front doors can tell before the work. */
export interface Naming {
  /** The word after the stem: `photo_<suffix>.jpg`. */
  suffix: string
  /** The output is `<stem>.<ext>`; the suffix is added only where that is the input's own name. */
  converts?: boolean
}

/** One file that a tool made, in the staging folder of its job. */
export interface OutputFile {
  /** Where it is now. */
  path: string
  /** Its name for people; for members of a set it may hold one folder, with '/'. */
  name: string
  mime: string
  /** The field of the HTTP answer that gives the address of this file (or several), such as `annotatedUrl` or `pages.0.downloadUrl`. */
  field?: string | readonly string[]
}

export interface ToolResult {
  files: OutputFile[]
  /** When the files are one set: the name of its folder or ZIP, without extension. */
  set?: string
  /** The answer's own fields. */
  report?: Record<string, unknown>
  /** What a shell prints instead of a report, one per line. */
  lines?: readonly string[]
}

/** What a tool's code gets to do its work. One object per job; the job runner makes it. */
export interface Job {
  /** Primary files in the order given. */
  inputs: readonly MediaFile[]
  /** Named further files that were given. */
  secondary: Readonly<Record<string, MediaFile>>
  /** Stops the work: Ctrl-C, a cancel over HTTP, or the time limit. */
  signal: AbortSignal
  /** A private folder for intermediate files, removed after the job. */
  scratch(): Promise<string>
  /** The path to write an output of this name to; it becomes visible, by rename, only when the job succeeds. */
  output(name: string): Promise<string>
  /** How far the work is, from 0 to 1, and a word on what is being done. */
  progress(fraction: number, phase?: string): void
  /** Something the person should know although the job succeeds. */
  warn(message: string): void
}

/** A run that the documentation makes and that a test repeats. Inputs are names of sample files (docs/samples.md). */
export interface Example<Settings = Record<string, unknown>> {
  title: string
  /** Sample files; by default the first sample that the tool accepts. */
  inputs?: readonly string[]
  secondary?: Readonly<Record<string, string>>
  settings?: Partial<Settings>
}

/** A named sub-operation: `mediaproc image edit-metadata/inspect FILE`. */
export interface Action {
  id: string
  summary: string
  input: InputSpec
  settings: SettingsTable
  output: OutputSpec
  run(job: Job, settings: Record<string, unknown>): Promise<ToolResult>
}

/** What the front doors and the job runner know of every tool, whatever its medium. */
export interface Tool {
  section: Section
  id: string
  summary: string
  medium: Medium
  input: InputSpec
  settings: SettingsTable
  /** Rules that span settings; throws INVALID_SETTINGS. Runs before any file is opened. */
  check?(settings: Record<string, unknown>): void
  output: OutputSpec
  /** Absent where only the work can tell. */
  naming?: Naming
  actions: readonly Action[]
  examples: readonly Example[]
  /** Ids of engines without which the tool cannot work at all. */
  engines: readonly string[]
  bundles: readonly string[]
  /** Seconds. */
  timeoutS: number
  /** Uses many cores or much memory: fewer of them run at the same time. */
  heavy: boolean
  /** Opens network connections. */
  network: boolean
  /** The same input and settings give the same bytes. */
  deterministic: boolean
  /** Turning one type into another is what the tool is for: `mediaproc convert A B` may choose it. */
  conversion: boolean
  /** Over HTTP: answers 202 at once. */
  async: boolean
  /** Over HTTP: has a batch route. */
  batch: boolean
  /** How the HTTP route takes its settings. */
  body: 'multipart' | 'json' | 'multipart|json'
  run(job: Job, settings: Record<string, unknown>): Promise<ToolResult>
  /** The part that pipelines fuse: an ImageStep, AvStep or PdfStep, by `medium`. */
  step?: ImageStep | AvStep | PdfStep | undefined
}

/** The declaration of a general tool: everything but `id`, `summary`, `settings`, `input`, `output` and `run` has a default. */
export interface ToolDeclaration<Table extends SettingsTable> {
  id: string
  summary: string
  section: Section
  input: InputSpec
  settings: Table
  output: OutputSpec
  naming?: Naming
  examples: readonly Example<SettingsOf<Table>>[]
  check?(settings: SettingsOf<Table>): void
  actions?: readonly Action[]
  engines?: readonly string[]
  bundles?: readonly string[]
  timeoutS?: number
  heavy?: boolean
  network?: boolean
  deterministic?: boolean
  conversion?: boolean
  async?: boolean
  batch?: boolean
  body?: Tool['body']
  run(job: Job, settings: SettingsOf<Table>): Promise<ToolResult>
}

/** A general tool: `run` does everything itself. */
export function tool<const Table extends SettingsTable>(declaration: ToolDeclaration<Table>): Tool {
  return {
    medium: 'general',
    actions: [],
    engines: [],
    bundles: [],
    timeoutS: 120,
    heavy: false,
    network: false,
    deterministic: true,
    conversion: false,
    async: false,
    batch: declaration.input.files === 'one' && declaration.output.kind !== 'report',
    body: 'multipart',
    ...declaration,
  } as unknown as Tool
}

/** An action, with the types of its own table. */
export function action<const Table extends SettingsTable>(
  declaration: Omit<Action, 'settings' | 'run'> & {
    settings: Table
    run(job: Job, settings: SettingsOf<Table>): Promise<ToolResult>
  },
): Action {
  return declaration as unknown as Action
}

/** One file in, of the given kinds. */
export function oneFile(...accept: string[]): InputSpec {
  return { files: 'one', min: 1, max: 1, accept }
}
