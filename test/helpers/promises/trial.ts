import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
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

/** What a tool's declaration cannot tell the promises. */
export interface TrialOptions {
  /** Settings that it runs with on any input, where neither the defaults nor an example's do. */
  settings?: Record<string, unknown>
  /** What else must be set for a setting, or for one value of it: `{ 'mode=targetSize': { targetSizeKb: 20 } }`. */
  beside?: Record<string, Record<string, unknown>>
  /** Values that are refused on every input, such as those of a model that is not there, with their code. */
  refused?: Record<string, string>
}

/** How a run is stopped from outside, or by what it warns of. */
export interface Stop {
  signal?: AbortSignal
  strict?: boolean
  onOutput?: () => void
}

/** A tool that is ready to be tried on any input of its kind. */
export interface Trial {
  tool: Tool
  options: TrialOptions
  /**
   * Runs it in a folder of its own, with as many inputs as it needs, the last one repeated. What was run before with the same
   * inputs and settings is not run again: several promises are looked up in one outcome. Nobody may change its files.
   */
  run(input: string | readonly string[], own?: Record<string, unknown>): Promise<Outcome>
  /** Runs it once more, whatever was run before. */
  runAgain(input: string | readonly string[], own?: Record<string, unknown>): Promise<Outcome>
  /** Runs it and wants a refusal: gives its code, when nothing was left in the folder of the outputs. */
  refusal(input: string | readonly string[], stop?: Stop): Promise<string>
}

/** Whether a file of this name is among what the tool takes. */
export function takes({ input }: Tool, name: string): boolean {
  return input.files !== 'none' && accepts(input.accept, { path: name, name, bytes: 1, type: typeOfName(name)! })
}

/** Whether settings pass everything that is checked before a file is opened. */
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

/** Settings and further inputs that go together. */
interface Case {
  settings: Record<string, unknown>
  secondary: Readonly<Record<string, string>>
}

/**
 * How a tool is run with settings of one's own: beside what the test says, those of an example that has them, nothing, or
 * those of another example; the first that passes. Where none does, the refusal is the tool's own to give.
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

/** Paths of the further inputs of a run: those of its example, and those without which the tool does not run at all. */
async function secondaryOf({ input, examples }: Tool, given: Readonly<Record<string, string>>) {
  const any = examples.find(({ secondary }) => secondary)?.secondary ?? {}
  const needed = Object.entries(input.secondary ?? {}).filter(([name, { required }]) => required || name in given)
  const folder = await documentationSamples()
  return Object.fromEntries(needed.map(([name]) => [name, join(folder, (given[name] ?? any[name])!)]))
}

/** @param folder where the outputs go, each run in a folder of its own */
export function trialOf(tool: Tool, folder: string, options: TrialOptions = {}): Trial {
  const runIn = async (place: string, inputs: readonly string[], { settings, secondary }: Case, stop?: Stop) =>
    run(tool, place, inputs, settings, { secondary: await secondaryOf(tool, secondary), ...stop })
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
      // A library that cannot be stopped goes on for a while; that must not make files either.
      await abandonedWork()
      expect(filesIn(place), 'left behind').toEqual([])
      return error.code
    },
  }
}

/** A refusal is of the catalogue, and no fault of the program. */
export function expectKnown(error: unknown): asserts error is MediaprocError {
  if (!(error instanceof MediaprocError)) throw error
  expect(Object.keys(ERRORS)).toContain(error.code)
  if (error.code === 'INTERNAL') throw error
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => !statSync(join(folder, name)).isDirectory())

export const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')
