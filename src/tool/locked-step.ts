import type { Code } from './contract.ts'

type Complete = (given: Record<string, unknown>) => Record<string, unknown>
type Function = (...given: never[]) => unknown

/** The functions of a step that take the settings. */
const SETTINGS_AT: Readonly<Record<string, number>> = { decode: 0, open: 0, measures: 0, report: 2 }
const USUAL = 1

function locked(work: Function, at: number, complete: Complete): Function {
  return (...given: unknown[]) => work(...(given.with(at, complete(given[at] as Record<string, unknown>)) as never[]))
}

/** The code of a base tool for one of its presets: identical, with the settings completed before each call. */
export function lockedCode(code: Code, complete: Complete): Code {
  if (code.medium === 'general') return { medium: 'general', run: (job, given) => code.run(job, complete(given)) }
  const step = Object.fromEntries(
    Object.entries(code.step).map(([name, part]) => [
      name,
      typeof part === 'function' ? locked(part as Function, SETTINGS_AT[name] ?? USUAL, complete) : part,
    ]),
  )
  return { medium: code.medium, step } as Code
}
