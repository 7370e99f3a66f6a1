import { typeOfName } from '../../media/type.ts'
import { knownFrom, placeholdersOf, templateFaults } from '../../tool/names/template.ts'
import type { DataDiagnostic } from '../read/diagnostics.ts'
import type { PlannedVariant } from './plan.ts'
import type { NamedVariant } from './read-reference.ts'

/** A name that is valid in file names on every system. */
const VARIANT_NAME = /^(?!\.+$)[^/\\:*?"<>|\u0000-\u001f]{1,64}$/

/** Every variant has a name of its own that can be part of a file name. */
export function checkVariantNames(diagnostics: DataDiagnostic[], variants: readonly NamedVariant[]): void {
  const seen = new Set<string>()
  for (const [index, { name }] of variants.entries()) {
    const path = ['variants', index]
    const folded = name.toLowerCase()
    if (name === '')
      diagnostics.push({ path: [...path, 'name'], message: 'Expected a name for the variant, got nothing' })
    else if (!VARIANT_NAME.test(name))
      diagnostics.push({
        path: [...path, 'name'],
        message: `A variant called ${JSON.stringify(name)} cannot be part of a file name`,
      })
    if (name !== '' && seen.has(folded)) diagnostics.push({ path, message: `There are two variants called ${name}` })
    seen.add(folded)
  }
}

/** Checks the pattern of output names. @param known the placeholders that it can have */
export function checkTemplate(
  diagnostics: DataDiagnostic[],
  template: string | undefined,
  known: readonly string[],
): void {
  if (template === undefined) return
  const path = ['output']
  if (/[/\\]$/.test(template))
    diagnostics.push({ path, message: `Expected a pattern of file names, got the folder ${template}` })
  for (const fault of templateFaults(template, known)) diagnostics.push({ path, ...fault })
}

/** Whether two variants would give an output the same name, as far as the plan shows. */
function haveOneName(template: string, one: PlannedVariant, other: PlannedVariant): boolean {
  const hasExtension = typeOfName(template.slice(template.lastIndexOf('}') + 1)) !== undefined
  const isOneType = JSON.stringify(one.output.type) === JSON.stringify(other.output.type)
  if (one.output.kind !== other.output.kind || !(hasExtension || isOneType)) return false
  return placeholdersOf(template).every(
    (placeholder) =>
      placeholder.name !== 'variant' &&
      // Facts of outputs, such as their checksum, can differ.
      [one, other].every(({ settings }) => knownFrom(placeholder, settings) !== 'output') &&
      JSON.stringify(one.settings[placeholder.name]) === JSON.stringify(other.settings[placeholder.name]),
  )
}

/** Variants that would both write the same outputs are recorded. */
export function checkOutputsApart(
  diagnostics: DataDiagnostic[],
  template: string | undefined,
  variants: readonly PlannedVariant[],
): void {
  if (template === undefined) return
  for (const [index, variant] of variants.entries()) {
    const earlier = variants.slice(0, index).find((one) => haveOneName(template, one, variant))
    if (!earlier || variant.output.kind === 'report') continue
    const message = `The variants ${earlier.name} and ${variant.name} would both write ${template}`
    return void diagnostics.push({ path: ['output'], message, hint: 'Distinguish them with {variant}.' })
  }
}
