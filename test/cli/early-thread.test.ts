import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { makeIo } from '../../src/cli/output/io.ts'
import { Isolation } from '../../src/pipeline/isolate/isolation.ts'
import { useScannedCatalogue } from '../../src/tool/registry.ts'
import { makePdf } from '../helpers/pdf.ts'
import { buildProgram, temporaryFolder } from '../helpers/program.ts'

const folder = temporaryFolder()
const at = (name: string): string => join(folder.path, name)
const prepare = vi.spyOn(Isolation.prototype, 'prepare')

beforeAll(async () => {
  buildProgram()
  await useScannedCatalogue()
  writeFileSync(at('a.pdf'), await makePdf({ pages: 1 }))
}, 180_000)
afterEach(() => prepare.mockClear())
afterAll(() => folder.remove())

async function run(...args: string[]): Promise<number> {
  const stream = (): PassThrough => new PassThrough().resume()
  return main(args, makeIo({ stdin: stream, stdout: stream(), stderr: stream() }))
}

test('starts loading the engine before the planning code', async () => {
  expect(await run('pdf', 'rotate-pdf', at('a.pdf'), '--angle', '90', '-o', at('b.pdf'))).toBe(0)
  expect(prepare.mock.calls[0]).toEqual([[{ name: 'pdf/rotate-pdf', engines: expect.arrayContaining(['mupdf']) }]])
})

test.each([
  ['a dry run', 0, ['a.pdf', '--dry-run']],
  ['an unknown option', 2, ['a.pdf', '--nonsense']],
  ['a value out of range', 2, ['a.pdf', '--angle', '91']],
  ['an option without its value', 2, ['a.pdf', '--range']],
  ['no input', 2, []],
  ['help', 0, ['--help']],
])('starts no thread for %s', async (_, code, args) => {
  const words = args.map((word) => (word.endsWith('.pdf') ? at(word) : word))
  expect(await run('pdf', 'rotate-pdf', ...words)).toBe(code)
  expect(prepare).not.toHaveBeenCalled()
})
