import { MediaprocError, toMediaprocError } from '../../errors.ts'
import type { FailureFields, StepSize } from '../../pool/messages.ts'

/** Steps as clients name them: without the section of the tool. */
export function shownSteps(steps: readonly StepSize[]): StepSize[] {
  return steps.map((step) => ({ ...step, toolId: step.toolId.split('/').at(-1)! }))
}

/**
 * What a pipeline failed of, as it is answered. All steps were valid when it was sent: what one of them refuses later, such
 * as a rectangle outside of the picture, is work that failed and no bad request.
 */
export function stepFailure(error: unknown): unknown {
  const { code, status, message, hint, httpHint, detail, fields } = toMediaprocError(error)
  const completed = (fields as Partial<FailureFields> | undefined)?.completedSteps
  if (!completed) return error
  return new MediaprocError(status < 500 && status !== 422 ? 'PROCESSING_FAILED' : code, message, {
    hint: { shell: hint, http: httpHint },
    detail,
    fields: { ...fields, completedSteps: shownSteps(completed) },
    cause: error,
  })
}
