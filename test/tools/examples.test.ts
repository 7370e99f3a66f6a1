import { readdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_SAMPLES, makeSamples } from '../../src/generate/samples.ts'
import { findEntry, loadTool, useScannedCatalogue } from '../../src/tool/registry.ts'
import { run, temporaryFolder } from '../helpers/tool.ts'

const folder = temporaryFolder()
const samples = join(folder, 'samples')

beforeAll(() => makeSamples(samples))

const entries = (await useScannedCatalogue()).filter((entry) => !entry.base)

describe.each(entries.map((entry) => [`${entry.section}/${entry.id}`, entry] as const))('%s', (name, entry) => {
  test.each(entry.examples.map((example) => [example.title, example] as const))(
    'example: %s',
    async (_title, example) => {
      const tool = await loadTool(findEntry(name))
      const inputs = tool.input.files === 'none' ? [] : (example.inputs ?? [DEFAULT_SAMPLES[tool.input.accept[0]!]!])
      const known = readdirSync(samples)
      expect(known).toEqual(expect.arrayContaining([...inputs]))
      const secondary = Object.fromEntries(
        Object.entries(example.secondary ?? {}).map(([key, file]) => [key, join(samples, file)]),
      )
      const outcome = await run(
        tool,
        folder,
        inputs.map((file) => join(samples, file)),
        example.settings ?? {},
        { secondary },
      )
      if (tool.output.kind === 'report') expect(Object.keys(outcome.report).length).toBeGreaterThan(0)
      else expect(outcome.paths.length).toBeGreaterThan(0)
      for (const path of outcome.paths) expect((await stat(path)).size).toBeGreaterThan(0)
    },
  )
})
