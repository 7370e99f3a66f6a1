import { describe, expect, test } from 'vitest'
import { MediaprocError } from '../../src/errors.ts'
import { chooseDestination } from '../../src/local/destination.ts'
import { namedInput } from '../../src/local/inputs.ts'
import {
  inputError,
  type JobOutcome,
  jobsFor,
  type OnProgress,
  type PlannedRun,
  runAll,
} from '../../src/local/planned-run.ts'

const input = (outcome: JobOutcome) => outcome.input

/** A run whose jobs end on request. */
function heldRun(names: readonly string[]) {
  const ends = new Map<string, (error?: MediaprocError) => void>()
  const run: PlannedRun = {
    name: 'image/x',
    jobs: jobsFor(names.map(namedInput), { files: 'one' }),
    concurrency: names.length,
    preview: async () => [],
    run: (job, onProgress: OnProgress) => {
      onProgress(0.5, 'working')
      return new Promise((resolve, reject) =>
        ends.set(job.items[0]!.given, (error) => (error ? reject(error) : resolve({ outputs: [] }))),
      )
    },
    close: async () => {},
  }
  const reported: unknown[] = []
  const outcomes: JobOutcome[] = []
  const listener = {
    onProgress: ({ index }: { index: number }, fraction: number) => void reported.push([index, fraction]),
    onEnd: ({ index }: { index: number }) => void reported.push(`${index} ended`),
    onOutcome(outcome: JobOutcome) {
      reported.push(outcome.input)
      outcomes.push(outcome)
    },
  }
  return { run, listener, reported, outcomes, end: (name: string, error?: MediaprocError) => ends.get(name)!(error) }
}

const signal = new AbortController().signal

describe('runAll', () => {
  test('reports outcomes in the order of the inputs, each as soon as the previous ones are done', async () => {
    const { run, listener, reported, outcomes, end } = heldRun(['a', 'b'])
    const all = runAll(run, { signal }, listener)
    end('b')
    end('a', new MediaprocError('INVALID_FILE'))
    await all
    expect(reported).toEqual([[0, 0.5], [1, 0.5], '1 ended', '0 ended', 'a', 'b'])
    expect(outcomes).toMatchObject([
      { ok: false, error: { code: 'INVALID_FILE' } },
      { ok: true, tool: 'image/x' },
    ])
  })

  test('starts no further job after a failure with failFast', async () => {
    const { run, listener, outcomes, end } = heldRun(['a', 'b'])
    const all = runAll(run, { jobs: 1, failFast: true, signal }, listener)
    end('a', new MediaprocError('INVALID_FILE'))
    await all
    expect(outcomes.map(input)).toEqual(['a'])
  })

  test('starts no further job after a stop', async () => {
    const { run, listener, outcomes, end } = heldRun(['a', 'b'])
    const controller = new AbortController()
    const all = runAll(run, { jobs: 1, signal: controller.signal }, listener)
    controller.abort()
    end('a')
    await all
    expect(outcomes.map(input)).toEqual(['a'])
  })
})

describe('jobs', () => {
  const items = ['a', 'b'].map(namedInput)

  test('one per input, or one for all', () => {
    expect(jobsFor(items, { files: 'one' }).map(({ given }) => given)).toEqual(['a', 'b'])
    expect(jobsFor(items, { files: 'many' }).map(({ given }) => given)).toEqual([['a', 'b']])
    expect(jobsFor(items.slice(0, 1), { files: 'many' })).toMatchObject([{ given: ['a'] }])
    expect(jobsFor([], { files: 'none' })).toMatchObject([{ index: 0, given: null }])
  })

  test('detects a missing file before any work', () => {
    const [job] = jobsFor([namedInput('/nowhere/a.jpg')], { files: 'one' })
    expect(inputError(job!)).toMatchObject({ given: '/nowhere/a.jpg', error: { code: 'FILE_NOT_FOUND' } })
  })
})

test('there is no standard output without streams', () => {
  expect(() => chooseDestination({ output: '-' }, { kind: 'file' }, 1)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: 'There is no standard output to write to' }),
  )
})
