import type { MediaFile } from '../media/file.ts'

/** An output file of a tool, in the staging folder of its job. */
export interface OutputFile {
  /** Its current path. */
  path: string
  /** Display name; for members of a set it may contain one folder, separated by '/'. */
  name: string
  mime: string
  /**
   * The field of the HTTP response that holds the URL of this file (or several), such as `annotatedUrl` or
   * `pages.0.downloadUrl`.
   */
  field?: string | readonly string[]
  /**
   * Its bytes come unchanged from inside the input (archive member, attachment) and may be damaged: they are not
   * checked.
   */
  isVerbatim?: boolean
  /** This text file names the first file of the job as `name`, in the text `as`, which is renamed with that file. */
  mentions?: { name: string; as: string }
}

export interface ToolResult {
  files: OutputFile[]
  /** If the files form one set: the name of its folder or ZIP, without extension. */
  set?: string
  /** Fields of the response. */
  report?: Record<string, unknown>
  /** Shell output instead of a report, one line per entry. */
  lines?: readonly string[]
}

/** The context of a tool run. The job runner creates one per job. */
export interface Job<Inputs extends readonly MediaFile[] = readonly [MediaFile, ...MediaFile[]]> {
  /** Input files in the order given; as many as the declaration says. */
  inputs: Inputs
  /** Additional named files that were given. */
  secondary: Readonly<Record<string, MediaFile>>
  /** Aborts the run: Ctrl-C, a cancel over HTTP, or the time limit. */
  signal: AbortSignal
  /** A private folder for intermediate files, deleted after the job. */
  scratch(): Promise<string>
  /** The path to write an output of this name to; it becomes visible, by rename, only if the job succeeds. */
  output(name: string): Promise<string>
  /** Reports progress from 0 to 1, with a short description of the current step. */
  progress(fraction: number, phase?: string): void
  /** Extends the default time limit for long jobs, such as those on hours of audio; a limit set by the user is kept. */
  moreTime(seconds: number): void
  /**
   * Allows a step the given number of seconds, based on the length of the input, in addition to those of earlier steps.
   * Shortens the limit that a server applies to every job of its kind; has no effect elsewhere.
   */
  limitByInput?(seconds: number): void
  /** Seconds until the time limit ends the job; Infinity without a limit, absent if unknown. */
  timeLeftS?(): number
  /**
   * Reports a problem although the job succeeds. Use `advice` if nothing is lost or missing: it is also reported under
   * --strict, but does not fail the job.
   */
  warn(message: string, manner?: 'advice'): void
}

/** A job with any number of inputs, as the job runner passes it. */
export type AnyJob = Job<readonly MediaFile[]>

/** The part of a job that a step of a medium may use: its inputs are opened and its outputs written for it. */
export type StepContext = Pick<
  Job,
  'secondary' | 'signal' | 'warn' | 'progress' | 'moreTime' | 'limitByInput' | 'timeLeftS' | 'scratch'
>

/** The additional parts for steps that write files themselves. */
export type ProduceContext = StepContext & Pick<Job, 'output'>
