import { MediaprocError, toMediaprocError } from '../../errors.ts'
import { lastOf } from '../../lists.ts'
import type { FailureFields, StepSize } from '../../pool/messages.ts'

/** Steps in the form that clients use: tool ids without section. */
export function shownSteps(steps: readonly StepSize[]): StepSize[] {
  return steps.map((step) => ({ ...step, toolId: lastOf(step.toolId.split('/')) }))
}

/**
 * Converts a pipeline's error for the response. All steps were valid at submission, so a later refusal by one of them,
 * such as a rectangle outside the picture, is a processing failure and not a bad request.
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
