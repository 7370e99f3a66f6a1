import { exampleLine, inputText, settingRow } from '../../cli/help.ts'
import { SECTION_WORDS } from '../../cli/program-help.ts'
import { firstOf } from '../../lists.ts'
import { IMAGE_EXTENSIONS } from '../../media/type.ts'
import type { CatalogueEntry } from '../../tool/catalogue.ts'
import { SECTIONS, type Section } from '../../tool/contract.ts'
import { outputText } from '../../tool/output-type.ts'
import { kebabCase, type SettingsTable } from '../../tool/settings.ts'
import {
  bold,
  commandBlock,
  heading,
  italic,
  pageHead,
  paragraph,
  roffFill,
  roffRows,
  roffText,
  seeAlso,
} from './roff.ts'

const settingRows = (table: SettingsTable): [string, string][] =>
  Object.entries(table)
    .filter(([, row]) => row.deprecated === undefined)
    .map(([name, row]) => settingRow(name, row))

function facts({ input, output }: Pick<CatalogueEntry, 'input' | 'output'>): string {
  // The long list of image types is only in the description.
  const accept = input.accept.map((one) => (one === 'image' ? 'images' : one))
  const made = outputText(output)
  return `.PP\n${roffFill(`Input: ${inputText({ ...input, accept })}.`)}.br\n${roffFill(`Output: ${made}.`)}`
}

const secondaryRows = ({ input }: Pick<CatalogueEntry, 'input'>): [string, string][] =>
  Object.entries(input.secondary ?? {}).map(([name, { what, required }]) => [
    `--${kebabCase(name)} FILE`,
    `${what}${required ? ' (required)' : ''}`,
  ])

function toolPart(entry: CatalogueEntry): string {
  const actions = entry.actions.map(
    (action) =>
      `.PP\n${bold(`${entry.id}/${action.id}`)}:\n${roffFill(`${action.summary}.`)}${roffRows([...secondaryRows(action), ...settingRows(action.settings)])}`,
  )
  const example = firstOf(entry.examples)
  return [
    `.SS ${roffText(entry.id)}\n${roffFill(`${entry.summary}.`)}`,
    facts(entry),
    roffRows([...secondaryRows(entry), ...settingRows(entry.settings)]),
    ...actions,
    `.PP\nExample, ${roffText(example.title)}:\n`,
    commandBlock([exampleLine(entry, example)]),
  ].join('')
}

/** The third column of the table below, so that the table fits 80 columns. */
const SAME_AS_WIDTH = 33

/** Presets as a table (tbl): the name, what it takes, and the tool behind it with what is fixed and [what stays open]. */
function presetTable(presets: readonly CatalogueEntry[]): string {
  const rows = presets.map(({ id, input, base, locked, settings }) => {
    const fixed = Object.entries(locked!).map(([name, value]) => `--${kebabCase(name)} ${value}`)
    const open = Object.keys(settings).map((name) => `[--${kebabCase(name)}]`)
    const sameAs = [base, ...fixed, ...open].join(' ')
    // Only what has to be folded is a text block: groff complains about those at the end of a page.
    const cell = sameAs.length > SAME_AS_WIDTH ? `T{\n${roffText(sameAs)}\nT}` : roffText(sameAs)
    return `${bold(id)}\t${roffText(input.accept.join(', '))}\t${cell}`
  })
  return `.PP\n.TS\nlb2 lb2 lb\nl2 l2 lw(${SAME_AS_WIDTH}n).\nPreset\tTakes\tSame as\n${rows.join('\n')}\n.TE\n`
}

/** mediaproc-<section>(1): every tool with its settings, ranges and defaults; presets in a table. */
export function sectionPage(section: Section, entries: readonly CatalogueEntry[]): string {
  const tools = entries.filter((entry) => entry.base === undefined)
  const presets = entries.filter((entry) => entry.base !== undefined)
  return [
    pageHead(`mediaproc-${section}`, `tools of mediaproc for ${SECTION_WORDS[section].replace(/ …$/, ' and more')}`),
    heading('SYNOPSIS'),
    `${bold(`mediaproc ${section}`)} ${italic('TOOL')} ${italic('FILE…')} [${bold('--setting')} ${italic('VALUE')}] [${bold('-o')} ${italic('FILE')} | ${bold('-d')} ${italic('DIR')}]\n`,
    heading('DESCRIPTION'),
    roffFill('What all tools have in common, such as inputs, names of outputs and exit codes, is in mediaproc(1).'),
    entries.some(({ input }) => input.accept.includes('image'))
      ? paragraph(`Where a tool takes images, these are: ${IMAGE_EXTENSIONS.join(', ')}.`)
      : '',
    heading('TOOLS'),
    ...tools.map(toolPart),
    presets.length > 0
      ? heading('PRESETS') +
        roffText('A preset is a tool with some settings fixed, under a name of its own.') +
        `\n${presetTable(presets)}`
      : '',
    seeAlso(['mediaproc', ...SECTIONS.filter((other) => other !== section).map((other) => `mediaproc-${other}`)]),
  ].join('')
}
