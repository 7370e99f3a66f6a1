import { basename } from 'node:path'
import { type MediaprocError, toMediaprocError } from '../../errors.ts'
import { type MediaFile, printableName } from '../../media/file.ts'
import { type FileType, typeOfName } from '../../media/type.ts'
import { structureFault } from '../../media/verify/verify.ts'
import { counted, either } from '../../wording.ts'
import { type Fact, type FactValue, factOf, hasFact, shownFact } from './facts.ts'
import type { Finding, Fix } from './finding.ts'
import { fixOf } from './fixes.ts'
import { type Limit, type LimitName, limitOf } from './limits.ts'
import { type LimitValue, READABLE, type Rule } from './rule.ts'
import { Subject } from './subject.ts'

/** Whether a property counts as present: lists are present if they have elements. */
const isPresent = (value: FactValue): boolean => (Array.isArray(value) ? value.length > 0 : value !== '' && !!value)

function meets({ kind }: Limit, actual: FactValue, expected: LimitValue): boolean {
  switch (kind) {
    case 'max':
      return Number(actual) <= Number(expected)
    case 'min':
      return Number(actual) >= Number(expected)
    case 'among':
      return Array.isArray(expected) && expected.includes(String(actual))
    case 'has':
      return isPresent(actual) === expected
    default:
      return isPresent(actual) !== expected
  }
}

/** What was measured and what was expected, as a sentence without a subject. */
function messageFor(limit: LimitName, fact: Fact, actual: FactValue, expected: LimitValue, type: string): string {
  if (limit === 'extension') return `the extension is ${String(actual)}, and the content is ${type.toUpperCase()}`
  const { label, noun, phrases } = fact
  const shown = shownFact(fact, actual)
  const found = noun === undefined ? `${label} is ${shown}` : `has ${counted(Number(actual), noun)}`
  switch (limitOf(limit).kind) {
    case 'max':
      return `${found}, at most ${shownFact(fact, Number(expected))}`
    case 'min':
      return `${found}, at least ${shownFact(fact, Number(expected))}`
    case 'among':
      return `${found}, expected ${either(Array.isArray(expected) ? expected : [])}`
    case 'has':
      if (expected === true) return phrases?.lacks ?? `has no ${label}`
      return `${phrases?.has ?? `has ${label}`}${typeof actual === 'boolean' ? '' : `: ${shown}`}`
    default:
      return `${label}: ${shown}`
  }
}

/** Messages often start with the file's name, which reports print before them. */
function withoutName(message: string, given: string): string {
  const starts = [given, basename(given)].map((name) => `${printableName(name)} `)
  const start = starts.find((one) => message.startsWith(one))
  return start === undefined ? message : message.slice(start.length)
}

/** The finding for a file that cannot be read. */
export function unreadable(given: string, error: MediaprocError): Finding {
  return {
    file: given,
    rule: READABLE,
    severity: 'error',
    limit: READABLE,
    message: withoutName(error.message, given),
    error: error.code,
  }
}

const fixFor = (rule: Rule, limit: LimitName, find: () => Fix | undefined): Fix | undefined => {
  if (rule.fix === false) return undefined
  if (rule.fix === undefined || limit === 'extension') return find()
  return { steps: rule.fix.map(({ tool, settings }) => ({ tool, settings: settings as Record<string, unknown> })) }
}

/** Checks one limit. @throws the error of the measurement */
async function checkLimit(
  subject: Subject,
  given: string,
  rule: Rule,
  limit: LimitName,
  expected: LimitValue,
): Promise<Finding | undefined> {
  const declared = limitOf(limit)
  const fact = factOf(declared.fact)
  if (!hasFact(fact, subject)) return undefined
  const actual = await fact.measure(subject)
  if (actual === undefined || (limit === 'extension' && expected === false)) return undefined
  const isMet = limit === 'extension' ? actual === true : meets(declared, actual, expected)
  if (isMet) return undefined
  const { type } = subject.file
  const fix = fixFor(rule, limit, () => fixOf(limit, { type, given, actual, expected, limits: rule.limits }))
  return {
    ...{ file: given, rule: rule.name, severity: rule.severity, limit, actual, expected },
    message: messageFor(limit, fact, actual, expected, type.id),
    ...(fix && { fix }),
  }
}

const MEDIA = new Set(['image', 'video', 'audio', 'pdf'])

/** Whether a name claims a media type, and the content has none. Text in a .ts file is TypeScript. */
const isForeign = ({ type }: MediaFile, claimed: FileType): boolean =>
  MEDIA.has(claimed.group) && !MEDIA.has(type.group) && claimed.mime !== 'video/mp2t'

/**
 * Checks that a file is complete, and the limits of all rules. Everything is measured once.
 * @param given the name for messages and commands
 */
export async function checkFile(
  file: MediaFile,
  given: string,
  rules: readonly Rule[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const subject = new Subject(file, signal)
  /** A failing reader is one finding, not one for each limit. */
  const problems = new Map<string, Finding>()
  const addProblem = (error: MediaprocError): void => void problems.set(error.message, unreadable(given, error))
  try {
    const [extension] = file.type.extensions
    const fault = extension === undefined ? undefined : structureFault(file.path, `file.${extension}`)
    if (fault !== undefined) problems.set('', damaged(given, `the file ${fault}`))
    const claimed = typeOfName(file.name)
    if (claimed && isForeign(file, claimed))
      problems.set('', damaged(given, `the content is no ${claimed.id.toUpperCase()}, nor any other known media type`))
    for (const rule of rules)
      for (const [limit, expected] of Object.entries(rule.limits) as [LimitName, LimitValue][]) {
        signal.throwIfAborted()
        try {
          const finding = await checkLimit(subject, given, rule, limit, expected)
          if (finding) findings.push(finding)
        } catch (error) {
          signal.throwIfAborted()
          addProblem(toMediaprocError(error, 'INVALID_FILE', 'the file cannot be measured'))
        }
      }
  } finally {
    await subject.close()
  }
  // The message of a reader is more precise than that of the structure.
  if (problems.size > 1) problems.delete('')
  if (problems.size === 0) for (const sentence of subject.damage) problems.set(sentence, damaged(given, sentence))
  return [...problems.values(), ...findings]
}

const damaged = (given: string, message: string): Finding => ({
  ...{ file: given, rule: READABLE, severity: 'error', limit: READABLE, message, error: 'INVALID_FILE' },
})
