import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { exitCodeOf, recordLine } from '../../src/cli/output/record.ts'
import { RECORD_SCHEMA } from '../../src/cli/output/record-schema.ts'
import { totalsOf } from '../../src/cli/output/run-totals.ts'
import { type ErrorCode, MediaprocError } from '../../src/errors.ts'
import type { FinishedOutput } from '../../src/local/output-paths.ts'
import type { JobOutcome } from '../../src/local/planned-run.ts'
import { buildProgram, useScene } from '../helpers/program.ts'

type Schema = { [key: string]: unknown }

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** The part of JSON Schema that the record's schema uses; an unknown keyword fails this test. */
function conforms(schema: Schema, value: unknown): boolean {
  const object = value as Record<string, unknown>
  const checks: Record<string, (rule: never) => boolean> = {
    type: (rule: string) => TYPES[rule]!(value),
    const: (rule: unknown) => value === rule,
    enum: (rule: unknown[]) => rule.includes(value),
    pattern: (rule: string) => new RegExp(rule).test(value as string),
    minimum: (rule: number) => (value as number) >= rule,
    minItems: (rule: number) => (value as unknown[]).length >= rule,
    items: (rule: Schema) => (value as unknown[]).every((item) => conforms(rule, item)),
    required: (rule: string[]) => rule.every((name) => name in object),
    properties: (rule: Record<string, Schema>) =>
      Object.entries(rule).every(([name, one]) => !(name in object) || conforms(one, object[name])),
    additionalProperties: (rule: boolean) =>
      rule || Object.keys(object).every((name) => name in (schema.properties as object)),
    oneOf: (rule: Schema[]) => rule.filter((one) => conforms(one, value)).length === 1,
    anyOf: (rule: Schema[]) => rule.some((one) => conforms(one, value)),
    not: (rule: Schema) => !conforms(rule, value),
  }
  return Object.entries(schema).every(([keyword, rule]) => {
    if (['$schema', 'title', 'description'].includes(keyword)) return true
    const check = checks[keyword]
    if (!check) throw new Error(`this test does not know the keyword ${keyword}`)
    return check(rule as never)
  })
}

const isRecord = (value: unknown): boolean => conforms(RECORD_SCHEMA as unknown as Schema, value)

describe('the line', () => {
  const basics = { tool: 'image/resize', input: 'a.jpg', ms: 12 }
  const quietly = { ...basics, warnings: [] }
  const outputs = [{ path: 'b.jpg', bytes: 1, type: 'image/jpeg' }]

  test('has keys in the documented order, and omits empty ones', () => {
    expect(recordLine({ ...quietly, ok: true, outputs })).toBe(
      '{"tool":"image/resize","input":"a.jpg","ok":true,"outputs":[{"path":"b.jpg","bytes":1,"type":"image/jpeg"}],"ms":12}',
    )
    expect(recordLine({ ...basics, ok: true, skipped: true, outputs, report: { x: 1 }, warnings: ['w'] })).toBe(
      '{"tool":"image/resize","input":"a.jpg","ok":true,"skipped":true,"outputs":[{"path":"b.jpg","bytes":1,"type":"image/jpeg"}],"result":{"x":1},"warnings":["w"],"ms":12}',
    )
    const error = new MediaprocError('TIMEOUT', 'm', { hint: 'h' })
    expect(recordLine({ ...quietly, ok: false, error })).toBe(
      '{"tool":"image/resize","input":"a.jpg","ok":false,"error":{"code":"TIMEOUT","message":"m","hint":"h"},"ms":12}',
    )
  })

  test('the schema accepts valid and refuses invalid records', () => {
    const good = { ...basics, ok: true, outputs }
    expect(isRecord(good)).toBe(true)
    expect(isRecord({ ...good, tool: 'image/edit-metadata/inspect', input: null })).toBe(true)
    expect(isRecord({ ...good, input: ['a', 'b'] })).toBe(true)
    for (const bad of [
      { ...good, extra: 1 },
      { ...good, ms: 1.5 },
      { ...good, warnings: [] },
      { ...good, ok: false },
      { ...good, tool: 'resize' },
      { ...good, error: { code: 'TIMEOUT', message: '', hint: '' } },
      { ...basics, ok: false, error: { code: 'NO_SUCH_CODE', message: '', hint: '' } },
      { ...good, outputs: [{ path: 'x' }] },
    ])
      expect(isRecord(bad)).toBe(false)
  })
})

describe('the exit code of a run', () => {
  const basics = { tool: 't/t', input: null, warnings: [], ms: 0 }
  const done: JobOutcome = { ...basics, ok: true, outputs: [] }
  const failed = (code: ErrorCode): JobOutcome => ({ ...basics, ok: false, error: new MediaprocError(code) })
  test.each<[JobOutcome[], number]>([
    [[], 0],
    [[done, done], 0],
    [[failed('INVALID_FILE'), done], 1],
    [[failed('ENGINE_UNAVAILABLE'), failed('FEATURE_NOT_INSTALLED')], 3],
    [[failed('ENGINE_UNAVAILABLE'), done], 3],
    [[failed('ENGINE_UNAVAILABLE'), failed('INVALID_FILE')], 1],
    [[failed('INVALID_SETTINGS')], 2],
    [[failed('INVALID_SETTINGS'), failed('INVALID_SETTINGS')], 2],
    [[failed('INVALID_SETTINGS'), done], 1],
  ])('%#', (outcomes, code) => {
    expect(exitCodeOf(totalsOf(outcomes), false)).toBe(code)
  })

  test('an interrupted run exits with 130 in any case', () => {
    expect(exitCodeOf(totalsOf([done, failed('INVALID_FILE')]), true)).toBe(130)
  })
})

describe('the program', () => {
  beforeAll(buildProgram, 180_000)
  const here = useScene()

  test('prints only one record per job to standard output, in the order of the inputs', async () => {
    await here.picture('b.png')
    const args = ['a.jpg', 'absent.jpg', 'b.png', '--json', '-j', '2']
    const { code, stdout, stderr } = await here.resize(...args)
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const records = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { input: unknown; ok: boolean; outputs: FinishedOutput[] })
    expect(records.map(({ input, ok }) => [input, ok])).toEqual([
      ['a.jpg', true],
      ['absent.jpg', false],
      ['b.png', true],
    ])
    expect(records.every(isRecord)).toBe(true)
    expect(records[1]).toMatchObject({ error: { code: 'FILE_NOT_FOUND', message: 'absent.jpg does not exist' } })
    const [first] = records
    expect(first!.outputs).toEqual([
      { path: 'a_resize.jpg', bytes: readFileSync(here.at('a_resize.jpg')).length, type: 'image/jpeg' },
    ])
  })

  test('reports, tools with several inputs, and tools without inputs', async () => {
    await here.picture('b.png')
    const [info] = [JSON.parse((await here.run(['image', 'info', 'a.jpg', '--json'])).stdout)]
    expect(info).toMatchObject({ tool: 'image/info', input: 'a.jpg', outputs: [], result: { width: 40, height: 20 } })
    const collage = JSON.parse((await here.run(['image', 'collage', 'a.jpg', 'b.png', '--json'])).stdout)
    expect(collage).toMatchObject({ tool: 'image/collage', input: ['a.jpg', 'b.png'], ok: true })
    const code = JSON.parse((await here.run(['image', 'qr-generate', '--text', 'x', '--json'])).stdout)
    expect(code).toMatchObject({ tool: 'image/qr-generate', input: null, ok: true })
    for (const record of [info, collage, code]) expect(isRecord(record)).toBe(true)
  })

  test('ships the schema', () => {
    const shipped = readFileSync(new URL('../../dist/schemas/record.json', import.meta.url), 'utf8')
    expect(JSON.parse(shipped)).toEqual(RECORD_SCHEMA)
  })
})
