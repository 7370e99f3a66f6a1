import { call } from '../api/call.ts'
import type { GetPipelineTools } from '../api/types.ts'

let known: Promise<readonly string[]> | undefined

/** Ids of the tools that can be steps, loaded once; again after a failure. */
export function stepTools(): Promise<readonly string[]> {
  known ??= call<GetPipelineTools>('api/v1/pipeline/tools').then(
    ({ toolIds }) => toolIds,
    (error: unknown) => {
      known = undefined
      throw error
    },
  )
  return known
}
