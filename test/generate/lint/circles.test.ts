import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')

const folder = mkdtempSync(join(tmpdir(), 'mediaproc-circles-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Found {
  diagnostics: { category: string; location: { path: string | { file: string } } }[]
}

/** Names of the files in which our own lint settings find a circle. */
function circlesIn(name: string, files: Readonly<Record<string, string>>): string[] {
  const project = join(folder, name)
  mkdirSync(project)
  writeFileSync(join(project, 'biome.json'), readFileSync(join(ROOT, 'biome.json')))
  for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text)
  const { stdout } = spawnSync(process.execPath, [BIOME, 'lint', '--reporter=json', '.'], {
    cwd: project,
    encoding: 'utf8',
  })
  return (JSON.parse(stdout) as Found).diagnostics
    .filter(({ category }) => category === 'lint/suspicious/noImportCycles')
    .map(({ location: { path } }) => (typeof path === 'string' ? path : path.file).replace(/^.*[\\/]/, ''))
    .sort()
}

test.each([
  [
    'types',
    "import type { B } from './b.ts'\nexport interface A { b?: B }\n",
    "import type { A } from './a.ts'\nexport interface B { a?: A }\n",
  ],
  [
    'a dynamic import',
    "export const a = async () => (await import('./b.ts')).b\n",
    "import { a } from './a.ts'\nexport const b = a\n",
  ],
  [
    'a type through a re-export',
    "export type { B } from './b.ts'\nexport type A = string\n",
    "import type { A } from './a.ts'\nexport type B = A\n",
  ],
])('lint refuses a circle by %s', (name, a, b) => {
  expect(circlesIn(name.replaceAll(' ', '-'), { 'a.ts': a, 'b.ts': b })).toEqual(['a.ts', 'b.ts'])
})

test('lint accepts imports of lower layers only', () => {
  const files = {
    'a.ts': "import { b } from './b.ts'\nexport const a = b\n",
    'b.ts': 'export const b = 1\n',
  }
  expect(circlesIn('down', files)).toEqual([])
})
