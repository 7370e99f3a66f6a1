import { MediaprocError } from '../errors.ts'

/** One thing that is wrong with a pipeline, and where. */
export interface Mistake {
  /** From 1. */
  line: number
  /** From 1, in characters. */
  column: number
  message: string
  hint?: string
  /** The YAML library's own words. */
  detail?: string
}

/** `web.yaml:4:7: There is no tool image/resiz`, with the hint behind it. */
export function mistakeLine(file: string, { line, column, message, hint }: Mistake): string {
  return `${file}:${line}:${column}: ${message}${hint ? `. ${hint}` : ''}`
}

/** All mistakes as one error, for callers that want an exception. */
export function mistakesError(file: string, mistakes: readonly Mistake[]): MediaprocError {
  const lines = mistakes.map((mistake) => mistakeLine(file, mistake))
  const details = mistakes.flatMap(({ detail }) => detail ?? [])
  return new MediaprocError('INVALID_SETTINGS', lines.join('\n'), {
    hint: 'mediaproc pipeline validate FILE checks a pipeline without running it.',
    ...(details.length > 0 && { detail: details.join('\n') }),
  })
}
