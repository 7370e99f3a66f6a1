import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { COMMON_OPTIONS } from '../../../src/cli/input/common-options.ts'
import { toolFlags } from '../../../src/cli/input/flags.ts'
import { parseArguments } from '../../../src/cli/input/parse.ts'
import { PROGRAM_EXAMPLES, programPage } from '../../../src/generate/docs/man-program.ts'
import { commandBlock, roffFill, roffRows, roffTerm, roffText } from '../../../src/generate/docs/roff.ts'
import { findTool } from '../../../src/pipeline/read/find-tool.ts'
import { useScannedCatalogue } from '../../../src/tool/registry.ts'
import { checkSettings } from '../../../src/tool/validate.ts'

await useScannedCatalogue()
const MAN = fileURLToPath(new URL('../../../man/', import.meta.url))
const pages = readdirSync(MAN)
const has = (program: string): boolean => spawnSync('which', [program]).status === 0

test.each([
  ['--dry-run', '\\-\\-dry\\-run'],
  ['.mediaprocrc', '\\&.mediaprocrc'],
  ["'{stem}'", '\\(aq{stem}\\(aq'],
  ['C:\\x "y"', 'C:\\ex \\(dqy\\(dq'],
  ['~/.fonts `a` ^', '\\(ti/.fonts \\(gaa\\(ga \\(ha'],
  ['a…é', 'a\\[u2026]\\[u00E9]'],
  ['two\n.lines', 'two .lines'],
])('roffText %s', (text, roff) => expect(roffText(text)).toBe(roff))

test('a line that is wrapped at a dot is not a request', () => {
  const folded = roffFill(`${'word '.repeat(14)}.SH hidden`)
  expect(folded).toBe(`${'word '.repeat(14).trim()}\n\\&.SH hidden\n`)
})

test('terms: literal words are bold, placeholders italic', () => {
  expect(roffTerm('-o, --output FILE')).toBe('\\fB\\-o,\\fR \\fB\\-\\-output\\fR \\fIFILE\\fR')
  expect(roffRows([['-q', 'print less']])).toBe('.TP\n\\fB\\-q\\fR\nprint less\n')
  expect(commandBlock(['a -b'])).toContain('.nf\na \\-b\n.fi')
})

test('the page of the program has all its sections', () => {
  const headings = [...programPage().matchAll(/^\.SH (.*)$/gm)].map(([, title]) => title)
  expect(headings).toEqual(
    'NAME,SYNOPSIS,DESCRIPTION,COMMANDS,OPTIONS,INPUTS,OUTPUTS,SETTINGS,EXIT STATUS,ENVIRONMENT,FILES,EXAMPLES,SEE ALSO'.split(
      ',',
    ),
  )
})

describe('every command of the examples is valid', () => {
  test.each(PROGRAM_EXAMPLES.map(([, line]) => [line]))('%s', (line) => {
    const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!)
    const [program, section, tool, ...rest] = words.filter((word) => !/^[<>]/.test(word))
    expect(program).toBe('mediaproc')
    if (Object.hasOwn(COMMANDS, section!)) return
    const { entry } = findTool(tool!, section)
    const flags = toolFlags(entry.settings, entry.input.secondary ?? {}, COMMON_OPTIONS)
    const { settings, operands } = parseArguments(rest, entry.settings, flags, '')
    checkSettings(entry.settings, settings)
    expect(operands.length).toBeGreaterThanOrEqual(entry.input.min)
  })
})

describe.skipIf(!has('mandoc'))('mandoc', () => {
  // The pages intentionally have no date: they change only with their content.
  test.each(pages)('%s', (page) => {
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-W', 'warning', join(MAN, page)], { encoding: 'utf8' })
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([])
  })
})

describe.skipIf(!has('groff'))('groff', () => {
  const groff = (page: string) =>
    spawnSync('groff', ['-ww', '-t', '-man', '-rcR=1', '-K', 'utf8', '-Tutf8', '-P-c', join(MAN, page)], {
      encoding: 'utf8',
    })

  test.each(pages)('%s', (page) => {
    // A terminal has no pages that a table could cross.
    const warnings = groff(page).stderr.split('\n')
    expect(warnings.filter((line) => line !== '' && !line.includes('will not fit on one page'))).toEqual([])
  })

  test('renders the intended text', () => {
    const text = groff('mediaproc-image.1').stdout.replace(/.\x08/g, '')
    expect(text).toContain('--fit WORD')
    expect(text).toContain("mediaproc image duotone photo.jpg --shadow '#1e3a8a' --highlight '#fef3c7'")
    expect(text).toMatch(/jpg-to-png +jpg, jpeg +convert --format png \[--quality\]/)
    expect(groff('mediaproc.1').stdout.replace(/.\x08/g, '')).toMatch(/^ +\.mediaprocrc$/m)
  })
})
