import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { settingRow } from '../../../src/cli/help.ts'
import { rulesSchema } from '../../../src/generate/schemas/rules-schema.ts'
import { LIMIT_TABLE } from '../../../src/local/check/limits.ts'
import { readRules } from '../../../src/local/check/read-rules.ts'
import { useScannedCatalogue } from '../../../src/tool/registry.ts'

const page = readFileSync(fileURLToPath(new URL('../../../docs/check.md', import.meta.url)), 'utf8')
const [rules = '', workflow = ''] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => text)
const validate = new Ajv2020({ allowUnionTypes: true }).compile(rulesSchema(await useScannedCatalogue()))

test('docs/check.md lists every limit with its option and help line', () => {
  for (const [name, row] of Object.entries(LIMIT_TABLE)) {
    const [flag, help] = settingRow(name, row)
    expect(page).toContain(`| \`${name}\` | \`${flag}\` | ${help} |\n`)
  }
})

test('its rules are valid, for the reader and for the schema; its workflow is YAML', async () => {
  const read = await readRules(rules, '.')
  expect(read.diagnostics).toEqual([])
  expect(read.rules?.map(({ name }) => name)).toEqual(['web pictures', 'thumbnails', 'podcasts', 'documents'])
  expect(validate(parse(rules))).toBe(true)
  expect(parse(workflow)).toMatchObject({ jobs: { check: { steps: expect.any(Array) } } })
})

test('the schema rejects what the reader rejects', async () => {
  for (const text of [
    '- { name: a }',
    '- { name: a, maxByte: 3 }',
    '- { maxBytes: true }',
    '- { severity: eror, gps: false }',
    '- { gps: false, fix: image/resiz }',
    '[]',
    'rules: 3',
  ]) {
    expect({ text, isValid: validate(parse(text)) }).toEqual({ text, isValid: false })
    expect((await readRules(text, '.')).diagnostics).not.toEqual([])
  }
  for (const text of [
    '- { maxBytes: 300 }',
    '- { maxDuration: "1:30" }',
    'rules: [{ formats: webp }]',
    '- { gps: false, fix: false }',
  ]) {
    expect({ text, isValid: validate(parse(text)) }).toEqual({ text, isValid: true })
    expect((await readRules(text, '.')).diagnostics).toEqual([])
  }
})
