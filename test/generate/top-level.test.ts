import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../helpers/tool.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const folder = temporaryFolder()
const PLACES = [
  ...[
    '.ci',
    'bench',
    'bin',
    'completions',
    'deploy',
    'docs',
    'man',
    'models',
    'plugins',
    'src',
    'test',
    'tools',
    'web',
  ],
  ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'NOTICE', 'README.md'],
  ...['.gitignore', '.npmrc', 'biome.json', 'package-lock.json', 'package.json', 'tsconfig.json', 'vitest.config.ts'],
]

test('the project has only known files and folders at its top level', () => {
  const files = execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '-z'], {
    cwd: ROOT,
    encoding: 'utf8',
  }).split('\0')
  const top = new Set(files.filter((file) => file !== '').map((file) => file.split('/')[0]!))
  expect([...top].filter((name) => !PLACES.includes(name))).toEqual([])
  expect(top.size).toBeGreaterThan(15)
})

test('`npm run samples` creates no folder with the name of an option', () => {
  const script = `${ROOT}dist/src/generate/assets/make-samples.js`
  expect(() => execFileSync(process.execPath, [script, '--help'], { cwd: folder, stdio: 'pipe' })).toThrow(
    /npm run samples/,
  )
  expect(readdirSync(folder)).toEqual([])
})
