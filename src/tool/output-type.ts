import { extensionOf } from '../media/file.ts'
import { typeOfName, WRITTEN_AS } from '../media/type.ts'
import { either } from '../wording.ts'
import { type Condition, conditionText, meetsCondition } from './condition.ts'

/** The output type, by extension. The first entry whose condition holds applies. */
export type OutputType = TypeFact | readonly (TypeFact & { when?: Condition })[]

export type TypeFact =
  /** Always this type. */
  | { is: string }
  /** One of these, depending on the content; `*` is any type. */
  | { oneOf: readonly string[] }
  /** Named by this setting. A value that names no type, such as `original`, keeps the input's own. */
  | { setting: string; maybe?: readonly string[] }
  /** Depends on the type of the input. */
  | { byInput: Readonly<Record<string, string>> }
  | SameType

export interface SameType {
  /** The input's own type; a list if only these types are kept. */
  same: true | readonly string[]
  /** The possible types for all other inputs. */
  or?: readonly string[]
  /** For `same: true` with others: the extensions that are always kept, so that the name is known before the run. */
  surely?: readonly string[]
  /** Possible types instead of the above, if the content or a setting requires it. */
  maybe?: readonly string[]
}

/** The default type for images: common formats are kept, others become JPEG or PNG. */
export const SAME_PICTURE = {
  same: ['jpg', 'png', 'webp', 'avif', 'gif', 'tiff'],
  or: ['jpg', 'png'],
} as const satisfies SameType

type Settings = Readonly<Record<string, unknown>>

/** All type entries, with their conditions. */
export function typeFacts(type: OutputType | undefined): readonly (TypeFact & { when?: Condition })[] {
  if (type === undefined) return []
  return isList(type) ? type : [type]
}

/** The entry that applies to these settings. */
function factFor(type: OutputType, settings: Settings): TypeFact {
  if (!isList(type)) return type
  return type.find(({ when }) => meetsCondition(when, settings)) ?? { oneOf: ['*'] }
}

const isList = (type: OutputType): type is readonly (TypeFact & { when?: Condition })[] => Array.isArray(type)

/** The type entry for these settings, with the setting's value filled in. */
export function typeFor(type: OutputType, settings: Settings): Exclude<TypeFact, { setting: string }> {
  const fact = factFor(type, settings)
  if (!('setting' in fact)) return fact
  const value = settings[fact.setting]
  if (typeof value !== 'string') return { oneOf: ['*'] }
  // The name of a format can differ from its extension: jpeg.
  const named = typeOfName(`x.${value}`)?.id
  if (named === undefined) return { ...SAME_PICTURE, ...(fact.maybe && { maybe: fact.maybe }) }
  return fact.maybe ? { oneOf: [named, ...fact.maybe] } : { is: named }
}

/** The setting that names the type for these settings, if there is one. */
export function typeSetting(type: OutputType | undefined, settings: Settings = {}): string | undefined {
  const fact = typeFacts(type).find(
    (one) => 'setting' in one && meetsCondition('when' in one ? one.when : undefined, settings),
  )
  return fact && 'setting' in fact ? fact.setting : undefined
}

/** The extension of the output, as far as it is known without opening the input. */
export function expectedExtension(
  type: OutputType | undefined,
  inputName: string,
  settings: Settings,
): string | undefined {
  if (type === undefined) return undefined
  const fact = typeFor(type, settings)
  if ('is' in fact) return fact.is
  if ('oneOf' in fact) return fact.oneOf.length === 1 && fact.oneOf[0] !== '*' ? fact.oneOf[0] : undefined
  const known = typeOfName(inputName)
  if (!known) return undefined
  if ('byInput' in fact) return Object.hasOwn(fact.byInput, known.id) ? fact.byInput[known.id] : undefined
  if (fact.maybe) return undefined
  const own = extensionOf(inputName)
  if (fact.same === true) return fact.or && !fact.surely?.includes(own) ? undefined : (WRITTEN_AS[known.id] ?? own)
  if (fact.same.includes(known.id)) return own
  return fact.or?.length === 1 ? fact.or[0] : undefined
}

/** All possible output types for inputs of the given types; groups such as `image` include all of their types. */
export function possibleTypes(
  type: OutputType | undefined,
  inputs: readonly string[],
  settings: Settings,
): readonly string[] {
  if (type === undefined) return ['*']
  const fact = typeFor(type, settings)
  if ('is' in fact) return [fact.is]
  if ('oneOf' in fact) return fact.oneOf
  if ('byInput' in fact) {
    const found = inputs.flatMap((input) => fact.byInput[typeOfName(`x.${input}`)?.id ?? input] ?? [])
    return found.length > 0 ? [...new Set(found)] : [...new Set(Object.values(fact.byInput))]
  }
  const { same, or = [], maybe = [] } = fact
  const kept = inputs.flatMap((input) => {
    const id = typeOfName(`x.${input}`)?.id
    if (same === true) return [WRITTEN_AS[input] ?? input]
    if (id === undefined || same.includes(id)) return [input]
    return or
  })
  return [...new Set([...kept, ...(same === true ? or : []), ...maybe])]
}

function factText(fact: TypeFact): string {
  if ('is' in fact) return fact.is
  if ('oneOf' in fact) return fact.oneOf.includes('*') ? 'any type' : either(fact.oneOf)
  if ('byInput' in fact)
    return Object.entries(fact.byInput)
      .map(([from, to]) => `${to} for ${from}`)
      .join(', ')
  const maybe = fact.maybe ? `; ${either(fact.maybe)} where the content needs it` : ''
  if ('setting' in fact) return `from the setting ${fact.setting}${maybe}`
  return `same as the input${fact.or ? `; what cannot be kept becomes ${either(fact.or)}` : ''}${maybe}`
}

const KINDS: Readonly<Record<string, string>> = {
  file: 'one file',
  files: 'one or several files',
  report: 'a report (JSON)',
  'file+report': 'one file and a report',
  'files+report': 'one or several files and a report',
}

/** The output in words: `one file; type: png`. */
export function outputText({ kind, type }: { kind: string; type?: OutputType }): string {
  return type === undefined ? KINDS[kind]! : `${KINDS[kind]}; type: ${outputTypeText(type)}`
}

/** The type in words: `same as the input; what cannot be kept becomes jpg or png`. */
export function outputTypeText(type: OutputType): string {
  if (!isList(type)) return factText(type)
  return type
    .map((fact) => `${factText(fact)}${fact.when ? ` with ${conditionText(fact.when)}` : ' otherwise'}`)
    .join('; ')
}
