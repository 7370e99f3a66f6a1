import { MediaprocError } from '../../errors.ts'

/** A location in the data of a pipeline: `['steps', 2, 'settings', 'width']`. */
export type DataPath = readonly (string | number)[]

/** A mistake in a pipeline given as data. */
export interface DataDiagnostic {
  /** The path of the value, or of a missing value. Empty for the pipeline as a whole. */
  path: DataPath
  /** The name at the end of the path is wrong, not its value. */
  isName?: true
  message: string
  hint?: string
}

/** A mistake in the text of a pipeline, with its location. */
export interface Diagnostic {
  /** From 1. */
  line: number
  /** From 1, in characters. */
  column: number
  message: string
  hint?: string
  /** The original message of the YAML library. */
  detail?: string
}

/** A readable path: `steps[2].settings.width`. */
export function pathText(path: DataPath): string {
  const parts = path.map((part) =>
    typeof part === 'string' && /^[A-Za-z_$][\w$]*$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`,
  )
  return parts.join('').replace(/^\./, '')
}

/** `web.yaml:4:7: There is no tool image/resiz`, followed by the hint. */
export function diagnosticLine(file: string, { line, column, message, hint }: Diagnostic): string {
  return `${file}:${line}:${column}: ${message}${hint ? `. ${hint}` : ''}`
}

/** All mistakes as one error, for callers that need an exception. */
export function diagnosticsError(file: string, diagnostics: readonly Diagnostic[]): MediaprocError {
  const lines = diagnostics.map((diagnostic) => diagnosticLine(file, diagnostic))
  const details = diagnostics.flatMap(({ detail }) => detail ?? [])
  return new MediaprocError('INVALID_SETTINGS', lines.join('\n'), {
    hint: { shell: 'mediaproc pipeline validate FILE checks a pipeline without running it.' },
    ...(details.length > 0 && { detail: details.join('\n') }),
  })
}
