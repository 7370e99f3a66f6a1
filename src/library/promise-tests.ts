/** The promises of every tool as tests, for the authors of plugins: `mediaproc/test`. */

import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ERRORS, MediaprocError } from '../errors.ts'
import { runJob } from '../job/run.ts'
import { placeFile } from '../job/workspace.ts'
import { openMediaFile } from '../media/file.ts'
import { runnable } from '../pipeline/run/run-alone.ts'
import type { Tool } from '../tool/contract.ts'
import type { Setting } from '../tool/settings.ts'
import { checkSettings } from '../tool/validate.ts'
import { inputItems, type Source } from './sources.ts'

export { type FormatTestOptions, formatTests } from './format-tests.ts'

export interface PromiseOptions {
  /** As many inputs as the tool takes for one job. */
  inputs: readonly Source[]
  /** Settings that run on these inputs; by default those of the first example. */
  settings?: Readonly<Record<string, unknown>>
}

/** A test for any runner: `for (const { name, run } of promiseTests(tool, { inputs })) test(name, run)`. */
export interface PromiseTest {
  name: string
  run(): Promise<void>
}

type Settings = Readonly<Record<string, unknown>>

/** Runs the tool in a folder of its own and returns its outputs by name. */
async function outcomeOf(tool: Tool, paths: readonly string[], settings: Settings, signal?: AbortSignal) {
  const destination = await mkdtemp(join(tmpdir(), 'mediaproc-promise-'))
  try {
    const values = checkSettings(tool.settings, settings)
    tool.check?.(values)
    const inputs = await Promise.all(paths.map((path) => openMediaFile(path, basename(path), tool.input.mayBeEmpty)))
    const request = { tool: runnable(tool), inputs, settings: values, destination, ...(signal && { signal }) }
    return await runJob(request, async ({ files, report }) => {
      const outputs = new Map<string, Buffer>()
      for (const { name, path } of files) {
        await placeFile(path, join(destination, name), false)
        outputs.set(name, await readFile(join(destination, name)))
      }
      return { outputs, report }
    })
  } catch (error) {
    assert.deepEqual(await readdir(destination), [], 'a failure leaves files')
    throw error
  } finally {
    await rm(destination, { recursive: true, force: true })
  }
}

/** A refusal has a code of the catalogue, and is not a bug. */
function assertKnown(error: unknown): void {
  if (!(error instanceof MediaprocError) || !(error.code in ERRORS) || error.code === 'INTERNAL') throw error
}

/** Values that a row declares: every word, both switches, both ends of a range. */
function valuesOf({ type, enum: words, min, max }: Setting): unknown[] {
  if (words) return [...words]
  if (type === 'boolean') return [true, false]
  return [min, max].filter((value) => value !== undefined)
}

/**
 * The promises that every tool keeps, as tests: examples run, each declared value of the settings runs or is refused with a code,
 * inputs stay as they are, equal inputs give equal bytes, an empty file and a stop are errors that leave nothing.
 */
export function promiseTests(
  tool: Tool,
  { inputs, settings = tool.examples[0]?.settings ?? {} }: PromiseOptions,
): PromiseTest[] {
  /** Calls `work` with the inputs as files. */
  const withInputs = async (work: (paths: string[], folder: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'mediaproc-promise-'))
    try {
      const items = await inputItems(inputs, async () => folder, new AbortController().signal)
      await work(
        items.map(({ path, given }) => path ?? given),
        folder,
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  const tests: Record<string, (paths: string[], folder: string) => Promise<unknown>> = {}
  for (const { title, settings: own, secondary } of tool.examples)
    if (!secondary) tests[`the example "${title}" runs`] = (paths) => outcomeOf(tool, paths, own ?? {})
  for (const [name, row] of Object.entries(tool.settings))
    for (const value of valuesOf(row))
      tests[`${name}: ${JSON.stringify(value)} runs, or is refused with a code`] = (paths) =>
        outcomeOf(tool, paths, { ...settings, [name]: value }).catch(assertKnown)
  tests['the inputs stay as they are'] = async (paths) => {
    const before = await Promise.all(paths.map((path) => readFile(path)))
    await outcomeOf(tool, paths, settings)
    assert.deepEqual(await Promise.all(paths.map((path) => readFile(path))), before)
  }
  if (tool.deterministic)
    tests['the same input gives the same bytes'] = async (paths) =>
      assert.deepEqual(await outcomeOf(tool, paths, settings), await outcomeOf(tool, paths, settings))
  if (tool.input.min > 0 && !tool.input.mayBeEmpty)
    tests['an empty file is refused'] = async (paths, folder) => {
      const empty = join(folder, `empty-${basename(paths[0] ?? '')}`)
      await writeFile(empty, '')
      await assert.rejects(outcomeOf(tool, [empty, ...paths.slice(1)], settings), MediaprocError)
    }
  tests['a stop is an error, and leaves nothing'] = (paths) =>
    assert.rejects(outcomeOf(tool, paths, settings, AbortSignal.abort()), { code: 'CANCELED' })
  return Object.entries(tests).map(([name, work]) => ({
    name: `${tool.id}: ${name}`,
    run: () => withInputs(async (paths, folder) => void (await work(paths, folder))),
  }))
}
