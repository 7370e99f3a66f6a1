/** What a run sends. */
import type { ServerFile } from '../files/on-server.ts'

export interface Upload {
  /** Address of the route. */
  path: string
  files: readonly { field: string; file: File }[]
  settings: Readonly<Record<string, unknown>>
  /** The part of the form that has the settings, if it is not `settings`. */
  part?: string
  /** The tool takes JSON, not a form. */
  isJson: boolean
  /** What the browser keeps of the run: a tool as `section/id`, and its settings without secrets. */
  kept?: { tool: string; settings: Readonly<Record<string, unknown>> }
}

/** A file of a form: its bytes, or what the server has. */
export type Part = { field: string; file: File } | ({ field: string; at: number } & ServerFile)

/** Adds files to a form: those that the server has by their names, and the bytes of the others. */
export function appendParts(form: FormData, parts: readonly Part[]): void {
  const named = parts.filter((part) => !('file' in part))
  if (named.length > 0) form.append('sources', JSON.stringify(named))
  for (const part of parts) if ('file' in part) form.append(part.field, part.file, part.file.name)
}

export const aborted = (): DOMException => new DOMException('aborted', 'AbortError')
