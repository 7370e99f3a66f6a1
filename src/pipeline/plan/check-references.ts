import { basename } from 'node:path'
import { firstOf } from '../../lists.ts'
import { typeOfName } from '../../media/type.ts'
import type { InputSpec } from '../../tool/contract.ts'
import { counted } from '../../wording.ts'
import type { DataDiagnostic, DataPath } from '../read/diagnostics.ts'
import { acceptedBy, typeList } from './check-chain.ts'
import { canTake, type Flow } from './flow.ts'
import type { PlannedStep } from './plan.ts'
import type { PartInput, Reference } from './reference.ts'

/** The result of a part. */
export interface PartResult {
  flow: Flow
  last: PlannedStep | undefined
}

/** What the checks of references to results need. */
export interface ResultChecking {
  diagnostics: DataDiagnostic[]
  /** By part; those of invalid parts are unknown. */
  results: ReadonlyMap<number, PartResult>
  /** The input of the pipeline; undefined if it is unknown. */
  input: InputSpec | undefined
}

/** The files that a reference means, as far as they are known before the run. */
interface MeantFiles {
  types: readonly string[]
  least: number
  most: number
}

/** Undefined if they are unknown, or cannot be used, which is recorded. */
function meantFiles({ diagnostics, results, input }: ResultChecking, reference: Reference): MeantFiles | undefined {
  const { of, path } = reference
  if (of === 'input') {
    if (input?.files === 'none')
      diagnostics.push({ path: [...path, 'input'], message: 'The pipeline takes no input, so this names no file' })
    return input && input.files !== 'none' ? { types: input.accept, least: input.min, most: input.max } : undefined
  }
  const found = of.flatMap((index) => results.get(index) ?? [])
  if (found.length < of.length) return undefined
  const reporting = found.find(({ last }) => last?.tool.output.kind === 'report')?.last
  if (reporting) {
    const message = `${reporting.name} only reports, so ${reference.label} is no file`
    return void diagnostics.push({ path: [...path, 'result'], message })
  }
  const isSeveral = found.some(({ flow }) => flow.several)
  const types = [...new Set(found.flatMap(({ flow }) => flow.types))]
  return { types, least: found.length, most: isSeveral ? Number.POSITIVE_INFINITY : found.length }
}

/** The files of a reference with its `file`. */
function chosenFiles(checking: ResultChecking, reference: Reference): MeantFiles | undefined {
  const meant = meantFiles(checking, reference)
  const { file, label, path } = reference
  if (!meant || file === undefined) return meant
  if (file <= meant.most) return { ...meant, least: 1, most: 1 }
  const message = `There is no file ${file}: ${label} has ${counted(meant.most, 'file')}`
  return void checking.diagnostics.push({ path: [...path, 'file'], message })
}

/** Checks the references that are values of file settings: each is one file of an accepted type. */
export function checkFileSettings(checking: ResultChecking, steps: readonly PlannedStep[]): void {
  for (const { name, tool, references = {} } of steps)
    for (const [key, reference] of Object.entries(references)) {
      const meant = chosenFiles(checking, reference)
      const accept = tool.input.secondary?.[key]?.accept ?? ['*']
      const { path, label } = reference
      if (!meant) continue
      if (meant.most > 1)
        checking.diagnostics.push({
          path,
          message: `Expected one file for ${key}, and ${label} can have several`,
          hint: 'Choose one, such as file: 1.',
        })
      else if (!canTake({ accept }, { types: meant.types, several: false }))
        checking.diagnostics.push({
          path,
          message: `${name} takes ${typeList(accept)} for ${key}, and ${label} is ${typeList(meant.types)}`,
        })
    }
}

/** The type of a file by its name; text can be anything. */
function namedType(path: string): string {
  const type = typeOfName(basename(path))
  return type && type.group !== 'text' && type.group !== 'data' ? type.id : '*'
}

function countFault(
  { name, tool: { input } }: PlannedStep,
  { least, most }: { least: number; most: number },
): string | undefined {
  if (input.files === 'none')
    return most > 0 ? `${name} takes no file, so its variant has no inputs: write inputs: []` : undefined
  if (most === 0 && input.min > 0) return `${name} needs an input, and these are none`
  if (input.files !== 'many') return undefined
  if (most < input.min) return `${name} takes at least ${counted(input.min, 'file')}, and these are ${most}`
  return least > input.max ? `${name} takes at most ${counted(input.max, 'file')}, and these are ${least}` : undefined
}

/**
 * Checks a variant's own inputs against its first steps.
 * @returns what its steps begin with; undefined if that is unknown
 */
export function checkPartInputs(
  checking: ResultChecking,
  inputs: readonly PartInput[],
  steps: readonly PlannedStep[],
  path: DataPath,
): Flow | undefined {
  const { diagnostics } = checking
  const first = firstOf(steps)
  const accept = acceptedBy(steps)
  const all = { types: new Set<string>(), least: 0, most: 0, isKnown: true }
  for (const [index, item] of inputs.entries()) {
    const isFile = typeof item === 'string'
    const meant = isFile ? { types: [namedType(item)], least: 1, most: 1 } : chosenFiles(checking, item)
    if (!meant) all.isKnown = false
    else {
      if (first.tool.input.files !== 'none' && !canTake({ accept }, { types: meant.types, several: false }))
        diagnostics.push({
          path: isFile ? [...path, index] : item.path,
          message: `${first.name} takes ${typeList(accept)}, and ${isFile ? basename(item) : item.label} is ${typeList(meant.types)}`,
        })
      for (const type of meant.types) all.types.add(type)
      all.least += meant.least
      all.most += meant.most
    }
  }
  if (!all.isKnown) return undefined
  const message = countFault(first, all)
  if (message) diagnostics.push({ path, message })
  return { types: [...all.types], several: all.most > 1 }
}
