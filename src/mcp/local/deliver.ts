import { basename } from 'node:path'
import { MediaprocError } from '../../errors.ts'
import { printableName } from '../../media/file.ts'
import { type Preview, type ResultFile, runResult } from '../answers.ts'
import type { Call, Outcome } from '../backend.ts'
import type { Parked, ParkedOutputs } from './parked.ts'
import { collisions, placeOutputs, takenPlaces } from './place-outputs.ts'
import { previewOf } from './preview.ts'
import { askToReplace, requireReplace } from './questions.ts'
import { type RecentResults, uriOf } from './recent.ts'
import type { Root } from './roots.ts'

/** Most previews of a call. */
const MAX_PREVIEWS = 3

/** What placing outputs needs. */
export interface Delivery {
  roots: readonly Root[]
  /** The client says that the user agreed to replace files; it counts only if the server cannot ask. */
  overwrite: boolean
  call: Call
  parked: ParkedOutputs
  recent: RecentResults
}

/** The outputs that an answer of the user is about. */
export function parkedOf({ call: { state }, parked }: Delivery): Parked | undefined {
  if (state === undefined) return undefined
  const found = parked.take(state)
  if (found) return found
  throw new MediaprocError('OUTPUT_EXISTS', 'The outputs that the question was about are not kept any more', {
    hint: 'Call the tool again.',
  })
}

async function previewsOf(paths: readonly string[], signal: AbortSignal): Promise<Preview[]> {
  const previews: Preview[] = []
  for (const path of paths) {
    if (previews.length === MAX_PREVIEWS) break
    const preview = await previewOf(path, signal)
    if (preview) previews.push(preview)
  }
  return previews
}

/**
 * Places finished outputs, after asking the user if that replaces files, and removes their private folder.
 * @param isAnswer whether the user was asked
 * @throws MediaprocError OUTPUT_EXISTS, OUTPUT_COLLISION, OUTSIDE_ROOTS; nothing is placed then
 */
export async function deliver(delivery: Delivery, finished: Parked, isAnswer: boolean): Promise<Outcome> {
  const { roots, overwrite, call, parked, recent } = delivery
  const { jobs, remove } = finished
  let isParked = false
  try {
    const outputs = jobs.flatMap((job) => job.outputs)
    const [same] = collisions(outputs)
    if (same !== undefined)
      throw new MediaprocError('OUTPUT_COLLISION', `Several outputs would be ${printableName(same)}`)
    if (isAnswer) requireReplace(call)
    const taken = isAnswer ? [] : await takenPlaces(roots, outputs)
    if (taken.length > 0 && call.client.asksUser) {
      const question = askToReplace(taken, await parked.park(finished))
      isParked = true
      return question
    }
    if (taken.length > 0 && !overwrite)
      throw new MediaprocError('OUTPUT_EXISTS', `${printableName(taken[0] ?? '')} is already there`)
    const previews = await previewsOf(
      outputs.map(({ from }) => from),
      call.signal,
    )
    call.signal.throwIfAborted()
    const paths = await placeOutputs(roots, outputs, isAnswer || overwrite)
    return resultOf(jobs, paths, previews, recent)
  } finally {
    if (!isParked) await remove()
  }
}

function resultOf(
  jobs: Parked['jobs'],
  paths: readonly string[],
  previews: readonly Preview[],
  recent: RecentResults,
): Outcome {
  const places = [...paths]
  const all: ResultFile[] = []
  const results = jobs.map(({ input, outputs, report, warnings, error }) => {
    const files = outputs.map(({ bytes, mimeType }) => {
      const path = places.shift() ?? ''
      return { uri: uriOf(path), name: basename(path), path, bytes, mimeType }
    })
    all.push(...files)
    return {
      ...(input !== null && { input }),
      ...(files.length > 0 && { outputs: files.map(({ path, bytes, mimeType }) => ({ path, bytes, mimeType })) }),
      ...(report && { report }),
      ...(warnings.length > 0 && { warnings }),
      ...(error && { error }),
    }
  })
  recent.add(all)
  return runResult(
    { results },
    all,
    previews,
    jobs.some(({ error }) => error !== undefined),
  )
}
