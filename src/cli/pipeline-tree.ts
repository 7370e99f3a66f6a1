import { firstOf } from '../lists.ts'
import { printableName } from '../media/file.ts'
import type { ExplainedGroup, Explanation } from '../pipeline/plan/explain.ts'
import { shellQuote } from '../shell-quote.ts'
import { outputTypeText } from '../tool/output-type.ts'
import { counted, either, listed } from '../wording.ts'

interface Node {
  text: string
  children: Node[]
}

const conditionText = (when: string | undefined): string => (when === undefined ? '' : ` (only for ${when})`)

const WORK: Record<ExplainedGroup['medium'], { one: string; read: string; write: string }> = {
  image: { one: 'image steps on one open picture', read: 'decodes', write: 'encodes' },
  av: { one: 'video and audio steps in one ffmpeg command', read: 'reads', write: 'encodes what changes' },
  pdf: { one: 'PDF steps on one open document', read: 'opens', write: 'saves' },
  general: { one: 'a single tool', read: 'reads', write: 'writes' },
}

const READS: Record<ExplainedGroup['reads'], string> = {
  input: 'the input',
  picture: 'the open picture',
  file: 'the output of the previous step',
  inputs: 'its inputs',
  nothing: 'no file',
}

const WRITES: Record<ExplainedGroup['writes'], string> = {
  output: 'the output',
  'temporary file': 'a temporary file',
  'open picture': 'nothing yet: the picture stays open',
}

/** A long list of words is the same in every command and shown only with --json. */
const shown = (word: string): string => (/^(\w+,){8,}/.test(word) ? '…' : shellQuote(word))

function describeGroup(group: ExplainedGroup): Node {
  const { one, read, write } = WORK[group.medium]
  const count = group.steps.length
  const title = group.medium === 'general' ? one : count > 1 ? `${count} ${one}` : one.replace(' steps', ' step')
  const reading = group.reads === 'picture' ? 'continues with' : read
  const writing = group.writes === 'open picture' ? 'writes' : `${write} once into`
  const steps = group.steps.map(({ number, tool, settings, when, from }): Node => {
    const values = Object.keys(settings).length > 0 ? ` ${JSON.stringify(settings)}` : ''
    const origin = from === undefined ? '' : ` (from ${from})`
    return { text: printableName(`${number}. ${tool}${values}${conditionText(when)}${origin}`), children: [] }
  })
  const planned = new Set(group.commands?.flatMap((command) => command.steps))
  const later = group.commands ? group.steps.filter(({ number }) => !planned.has(number)) : []
  const commands = (group.commands ?? []).map((command): Node => {
    const about = group.assumed ? 'for a typical file: ' : ''
    return { text: printableName(`${about}ffmpeg ${command.arguments.map(shown).join(' ')}`), children: [] }
  })
  const rest: Node[] =
    later.length > 0
      ? [{ text: `steps from ${firstOf(later).number} on start from the file that this writes`, children: [] }]
      : []
  return {
    text: `${title}: ${reading} ${READS[group.reads]}, ${writing} ${WRITES[group.writes]}`,
    children: [...steps, ...commands, ...rest],
  }
}

function lines(nodes: readonly Node[], indent: string): string[] {
  return nodes.flatMap(({ text, children }, index) => {
    const isLast = index === nodes.length - 1
    return [`${indent}${isLast ? '└─ ' : '├─ '}${text}`, ...lines(children, `${indent}${isLast ? '   ' : '│  '}`)]
  })
}

const KINDS = {
  file: 'a file',
  files: 'a set of files',
  report: 'a report',
  'file+report': 'a file',
  'files+report': 'a set of files',
}

/** An explanation as a tree, for display. */
export function explanationLines(explanation: Explanation): string[] {
  const { name, rows, parameters, takes, common, variants, pattern, manifest, skipped } = explanation
  const files = { one: 'each input alone', many: 'all inputs together', none: 'no input' }[takes.files]
  const accepted = takes.accept.length > 8 ? [...takes.accept.slice(0, 8), 'others'] : takes.accept
  const nodes: Node[] = [
    { text: `takes ${files}${takes.files === 'none' ? '' : `: ${either(accepted)}`}`, children: [] },
  ]
  if (rows) {
    const columns = rows.columns.map(printableName).join(', ')
    nodes.push({
      text: `runs for each of ${counted(rows.count, 'row')} of ${printableName(rows.file)}: ${columns}`,
      children: [],
    })
  }
  if (parameters)
    nodes.push({
      text: 'parameters (--set NAME=VALUE)',
      children: parameters.map((one) => {
        const fallback = one.default === undefined ? 'required' : `default ${JSON.stringify(one.default)}`
        const about = one.description === undefined ? '' : `: ${one.description}`
        return { text: printableName(`${one.name} (${fallback})${about}`), children: [] }
      }),
    })
  if (common.length > 0) nodes.push({ text: 'once for all variants', children: common.map(describeGroup) })
  for (const variant of variants) {
    const { kind, type } = variant.output
    const written: Node = {
      text: `gives ${KINDS[kind]}${type === undefined ? '' : ` (${outputTypeText(type)})`}${pattern ? `: ${pattern.replaceAll('{variant}', variant.name)}` : ''}`,
      children: variant.facts ? [{ text: `${listed(variant.facts)}: from each file`, children: [] }] : [],
    }
    const inputs = variant.inputs?.length
      ? [{ text: printableName(`inputs: ${variant.inputs.join(', ')}`), children: [] }]
      : []
    const end = variant.usedBy
      ? { text: printableName(`no output: used by ${variant.usedBy.join(', ')}`), children: [] }
      : written
    const own = [...inputs, ...variant.groups.map(describeGroup), end]
    if (variant.name === '') nodes.push(...own)
    else nodes.push({ text: printableName(`variant ${variant.name}${conditionText(variant.when)}`), children: own })
  }
  if (manifest !== undefined) nodes.push({ text: printableName(`lists all outputs in ${manifest}`), children: [] })
  if (skipped && skipped.length > 0)
    nodes.push({
      text: 'skipped for this input',
      children: skipped.map(({ number, tool, variant, when }) => ({
        text: printableName(`${number}. ${tool}${variant ? ` of ${variant}` : ''}${conditionText(when)}`),
        children: [],
      })),
    })
  return [name, ...lines(nodes, '')]
}
