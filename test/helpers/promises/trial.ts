import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { ERRORS, MediaprocError } from '../../../src/errors.ts'
import { accepts } from '../../../src/job/accept.ts'
import { abandonedWork } from '../../../src/job/run.ts'
import { typeOfName } from '../../../src/media/type.ts'
import type { Tool } from '../../../src/tool/contract.ts'
import { inspectSettings } from '../../../src/tool/validate.ts'
import { documentationSamples } from '../shared-samples.ts'
import { type Outcome, run } from '../tool.ts'

/** What the tests need to know and a tool's declaration does not contain. */
export interface TrialOptions {
  /** Settings that run on any input, if neither the defaults nor an example's do. */
  settings?: Record<string, unknown>
  /** Settings required by a setting, or by one value of it: `{ 'mode=targetSize': { targetSizeKb: 20 } }`. */
  beside?: Record<string, Record<string, unknown>>
  /** Values that are refused on every input, such as a model that is not installed, with their code. */
  refused?: Record<string, string>
}

/** How a run is stopped from outside, or by one of its warnings. */
export interface Stop {
  signal?: AbortSignal
  strict?: boolean
  onOutput?: () => void
}

/** A tool that can be run on any input of its kind. */
export interface Trial {
  tool: Tool
  options: TrialOptions
  /**
   * Runs it in its own folder, with as many inputs as it needs, the last one repeated. Results are cached by inputs and
   * settings, because several tests check one outcome. Its files must not be changed.
   */
  run(input: string | readonly string[], own?: Record<string, unknown>): Promise<Outcome>
  /** Runs it again, without the cache. */
  runAgain(input: string | readonly string[], own?: Record<string, unknown>): Promise<Outcome>
  /** Runs it and expects a refusal: returns its code if the output folder is empty. */
  refusal(input: string | readonly string[], stop?: Stop): Promise<string>
}

/** Whether the tool accepts a file of this name. */
export function takes({ input }: Tool, name: string): boolean {
  return input.files !== 'none' && accepts(input.accept, { path: name, name, bytes: 1, type: typeOfName(name)! })
}

/** Whether settings pass all checks that are done before a file is opened. */
function pass(tool: Tool, settings: Record<string, unknown>): boolean {
  const { issues, unknown, values } = inspectSettings(tool.settings, settings)
  if (issues.length > 0 || unknown.length > 0) return false
  try {
    tool.check?.(values)
    return true
  } catch {
    return false
  }
}

/** Settings and secondary inputs that belong together. */
interface Case {
  settings: Record<string, unknown>
  secondary: Readonly<Record<string, string>>
}

/**
 * How a tool is run with given settings: in addition to those of the test, those of an example with them, none, or
 * those of another example; the first valid combination. If there is none, the tool itself refuses them.
 */
function caseFor({ tool, options }: Pick<Trial, 'tool' | 'options'>, own: Record<string, unknown> = {}): Case {
  const besides = Object.entries(own).flatMap(([name, value]) => [
    options.beside?.[name] ?? {},
    options.beside?.[`${name}=${value}`] ?? {},
  ])
  const asked = Object.assign({}, options.settings, ...besides)
  const examples = tool.examples.map(({ settings = {}, secondary = {} }) => ({ settings, secondary }))
  const fits = (settings: Record<string, unknown>): boolean =>
    Object.keys(own).length > 0 && Object.entries(own).every(([name, value]) => settings[name] === value)
  const plain = { settings: asked, secondary: {} }
  const cases = [
    ...(Object.keys(asked).length > 0 ? [plain] : []),
    ...examples.filter(({ settings }) => fits(settings)),
    plain,
    ...examples,
  ].map(({ settings, secondary }): Case => ({ settings: { ...settings, ...own }, secondary }))
  return cases.find(({ settings }) => pass(tool, settings)) ?? cases[0]!
}

/** Paths of the secondary inputs of a run: those of its example, and those that the tool requires. */
async function secondaryOf({ input, examples }: Tool, given: Readonly<Record<string, string>>) {
  const any = examples.find(({ secondary }) => secondary)?.secondary ?? {}
  const needed = Object.entries(input.secondary ?? {}).filter(([name, { required }]) => required || name in given)
  if (needed.length === 0) return {}
  const folder = await documentationSamples()
  return Object.fromEntries(needed.map(([name]) => [name, join(folder, (given[name] ?? any[name])!)]))
}

/** @param folder parent of the output folders, one per run */
export function trialOf(tool: Tool, folder: string, options: TrialOptions = {}): Trial {
  const runIn = async (place: string, inputs: readonly string[], { settings, secondary }: Case, stop?: Stop) => {
    const outcome = await run(tool, place, inputs, settings, { secondary: await secondaryOf(tool, secondary), ...stop })
    expect(outcome.warnings.join('\n'), 'warnings name files, not paths').not.toContain(tmpdir())
    return outcome
  }
  const inputsOf = (input: string | readonly string[]): string[] => {
    const given = typeof input === 'string' ? [input] : input
    const count = Math.max(given.length, tool.input.min)
    return Array.from({ length: count }, (_, index) => given[index] ?? given.at(-1)!)
  }
  const fresh = (): string => mkdtempSync(join(folder, 'trial-'))
  const runAgain: Trial['runAgain'] = (input, own) => runIn(fresh(), inputsOf(input), caseFor({ tool, options }, own))
  const ran = new Map<string, Promise<Outcome>>()
  return {
    tool,
    options,
    run(input, own) {
      const { settings, secondary } = caseFor({ tool, options }, own)
      // With the defaults filled in: a setting at its default is the run without it.
      const { values } = inspectSettings(tool.settings, settings)
      const key = JSON.stringify([inputsOf(input), Object.entries(values).sort(), secondary])
      const outcome = ran.get(key) ?? runAgain(input, own)
      ran.set(key, outcome)
      return outcome
    },
    runAgain,
    async refusal(input, stop) {
      const place = fresh()
      const error = await runIn(place, inputsOf(input), caseFor({ tool, options }), stop).then(
        ({ names }) => new Error(`it made ${names.join(', ') || 'a report'}`),
        (reason: unknown) => reason as Error,
      )
      expectKnown(error)
      // A library that cannot be stopped continues for a while; that must not create files either.
      await abandonedWork()
      expect(filesIn(place), 'left behind').toEqual([])
      return error.code
    },
  }
}

/** A refusal has an error code, is not a bug, and names files by their names: over HTTP, paths are those of the server. */
export function expectKnown(error: unknown): asserts error is MediaprocError {
  if (!(error instanceof MediaprocError)) throw error
  expect(Object.keys(ERRORS)).toContain(error.code)
  expect(error.httpMessage + error.httpHint).not.toContain(tmpdir())
  if (error.code === 'INTERNAL') throw error
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !statSync(join(folder, name)).isDirectory())

export const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')
