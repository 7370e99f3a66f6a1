import type { MediaFile } from '../media/file.ts'

/** One file that a tool made, in the staging folder of its job. */
export interface OutputFile {
  /** Where it is now. */
  path: string
  /** Its name for people; for members of a set it may hold one folder, with '/'. */
  name: string
  mime: string
  /** The field of the HTTP answer that gives the address of this file (or several), such as `annotatedUrl` or `pages.0.downloadUrl`. */
  field?: string | readonly string[]
  /** Its bytes are those of a file within the input (a member of an archive, an attachment), sound or not: they are not checked. */
  isVerbatim?: boolean
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
  /** The work takes longer than most, such as that on a recording of hours: the limit, where nobody chose one, is so much later. */
  moreTime(seconds: number): void
  /**
   * The length of the input allows a step so many seconds, after those that earlier steps were allowed. Shortens the limit that
   * a server gives every job of its kind; has no effect elsewhere.
   */
  limitByInput?(seconds: number): void
  /** Seconds until the time limit ends the job, Infinity without a limit; absent where it is not known. */
  timeLeftS?(): number
  /**
   * Something the person should know although the job succeeds. By `advice` nothing is lost or missed: with --strict it is
   * told as well, and the job does not fail.
   */
  warn(message: string, manner?: 'advice'): void
}

/** What a step of a medium may use of its job: its inputs come opened, and its outputs are written for it. */
export type StepContext = Pick<
  Job,
  'secondary' | 'signal' | 'warn' | 'progress' | 'moreTime' | 'limitByInput' | 'timeLeftS' | 'scratch'
>

/** What a step that writes files itself may use besides. */
export type ProduceContext = StepContext & Pick<Job, 'output'>
