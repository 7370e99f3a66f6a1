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

/** The location of a step that includes a file. */
export interface IncludePlace {
  /** The including file, if that is not the pipeline itself. */
  file?: string
  /** From 1. */
  line: number
  /** From 1, in characters. */
  column: number
}

/** A mistake in the text of a pipeline, with its location. */
export interface Diagnostic {
  /** The included file with the mistake; absent for the pipeline itself. */
  file?: string
  /** The steps that include the file, the closest first. */
  included?: readonly IncludePlace[]
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

/**
 * `web.yaml:4:7: There is no tool image/resiz`, followed by the hint and the steps that include the file.
 * @param pipeline the file of the pipeline
 */
export function diagnosticLine(
  pipeline: string,
  { file = pipeline, line, column, message, hint, included = [] }: Diagnostic,
): string {
  const chain = included.map((one) => `${one.file ?? pipeline}:${one.line}:${one.column}`).join(', ')
  return `${file}:${line}:${column}: ${message}${hint ? `. ${hint}` : ''}${chain && ` (included from ${chain})`}`
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
